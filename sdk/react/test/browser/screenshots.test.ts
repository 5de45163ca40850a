import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { GALLERY, GALLERY_MEDIA } from '../support/gallery';
import { violations } from './accessibility';
import { layer, mount, useBrowser } from './browser';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../screenshots');
/** Set to take the pictures anew; then look at every one of them. */
const UPDATE = process.env.SVC_UPDATE_SCREENSHOTS === 'yes';
const WIDTH = 360;
/** Difference of a colour channel that machines may have: they smooth the edges of letters differently. */
const CHANNEL_TOLERANCE = 48;
/** Share of pixels that may differ by more. */
const PIXEL_TOLERANCE = 0.005;

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

/** Compares two pictures in the page, which has everything that it takes to read them. */
function differingShare(page: Page, before: Buffer, after: Buffer): Promise<number> {
  return page.evaluate(
    async ([a, b, tolerance]) => {
      const pixels = async (base64: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const { width, height } = image;
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        context.drawImage(image, 0, 0);
        return { width, height, data: context.getImageData(0, 0, width, height).data };
      };
      const [old, now] = await Promise.all([pixels(a), pixels(b)]);
      if (old.width !== now.width || old.height !== now.height) return 1;
      let differing = 0;
      for (let at = 0; at < old.data.length; at += 4) {
        const isOther = [0, 1, 2].some((c) => Math.abs((old.data[at + c] ?? 0) - (now.data[at + c] ?? 0)) > tolerance);
        if (isOther) differing += 1;
      }
      return differing / (old.width * old.height);
    },
    [before.toString('base64'), after.toString('base64'), CHANNEL_TOLERANCE] as const,
  );
}

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
    // Neither a caret nor a ring belongs to the picture.
    await page.evaluate(async () => {
      (document.activeElement as HTMLElement | null)?.blur();
      await document.fonts.ready;
    });
    await page.mouse.move(0, 0);
    expect(await violations(page)).toEqual([]);
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const file = join(folder, `${name}.png`);
    const actual = join(folder, `${name}.actual.png`);
    if (UPDATE) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, picture);
    }
    if (!existsSync(file)) throw new Error(`there is no ${name}.png: take it with SVC_UPDATE_SCREENSHOTS=yes`);
    const share = await differingShare(page, readFileSync(file), picture);
    if (share > PIXEL_TOLERANCE) writeFileSync(actual, picture);
    else rmSync(actual, { force: true });
    expect(share, `look at ${name}.actual.png beside ${name}.png`).toBeLessThanOrEqual(PIXEL_TOLERANCE);
  });

  it('and a few other letters are seen', async () => {
    const page = await open();
    const [one, other] = ['number_stepper', 'number_stepper_value'].map((name) =>
      readFileSync(join(folder, `${name}.png`)),
    ) as [Buffer, Buffer];
    expect(await differingShare(page, one, one)).toBe(0);
    expect(await differingShare(page, one, other)).toBeGreaterThan(2 * PIXEL_TOLERANCE);
  });
});
