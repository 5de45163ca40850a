import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { GALLERY, GALLERY_MEDIA } from '../support/gallery';
import { violations } from './accessibility';
import { layer, mount, useBrowser } from './browser';
import { differingShare, expectPicture, keptPicture, PIXEL_TOLERANCE, takePicture } from './pictures';

const WIDTH = 360;
/** By then everything in the gallery has come to its end. */
const AT_REST_MS = 60_000;

type Kind = keyof typeof GALLERY;

/** What is done to an exhibit before its picture is taken, so that chosen and failed states show as well. */
const TOUCHES: Partial<Record<Kind, (page: Page) => Promise<void>>> = {
  single_choice: (page) => page.locator('[data-option=o2]').click(),
  multiple_choice: async (page) => {
    await page.locator('[data-option=o1]').click();
    await page.locator('[data-option=o3]').click();
  },
  checkbox: (page) => page.locator(layer('lyr_box')).click(),
  text_input: async (page) => {
    await page.fill('input', 'A');
    // Continue looks disabled meanwhile, and says what is wrong all the same.
    await page.locator(layer('lyr_go')).click({ force: true });
  },
  phone_input: (page) => page.fill('input[type=tel]', '0301234567'),
  email_password_field: async (page) => {
    await page.getByLabel('Email').fill('ana');
    await page.locator(layer('lyr_submit')).click();
  },
};
/** Kinds whose own chrome looks different in the dark palette. */
const ALSO_DARK: readonly Kind[] = [
  'text',
  'button',
  'single_choice',
  'checkbox',
  'text_input',
  'scale_input',
  'wheel_picker',
  'number_stepper',
  'address_input',
  'oauth_login',
];

const shots = (Object.keys(GALLERY) as Kind[]).flatMap((kind) => [
  { kind, theme: 'light' as const, name: kind as string },
  ...(ALSO_DARK.includes(kind) ? [{ kind, theme: 'dark' as const, name: `${kind}.dark` }] : []),
]);

describe('every kind of layer looks as it did, and can be used without looking', () => {
  const open = useBrowser({ reducedMotion: 'reduce', width: WIDTH });

  it.each(shots)('$name', async ({ kind, theme, name }) => {
    const page = await open();
    const { manifest, height } = GALLERY[kind];
    await page.setViewportSize({ width: WIDTH, height });
    await page.evaluate(() => window.loadFont());
    await mount(page, manifest, { theme, timeMs: AT_REST_MS, mediaMap: { ...GALLERY_MEDIA } });
    await page.waitForLoadState('networkidle');
    await TOUCHES[kind]?.(page);
    // Axe judges what is shown at rest, as the picture does.
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    expect(await violations(page)).toEqual([]);
    await expectPicture(page, name, await takePicture(page));
  });

  it('and a few other letters are seen', async () => {
    const page = await open();
    const one = keptPicture('number_stepper');
    const other = keptPicture('number_stepper_value');
    expect(await differingShare(page, one, one)).toBe(0);
    expect(await differingShare(page, one, other)).toBeGreaterThan(2 * PIXEL_TOLERANCE);
  });
});
