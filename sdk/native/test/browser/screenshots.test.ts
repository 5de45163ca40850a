import { describe, expect, it } from 'vitest';
import { lastScreen, manifest, screen } from '../support/manifests';
import { at, mount, useBrowser } from './browser';
import { BRANDING, DISPLAY, MEDIA, type Picture, THEME } from './gallery';
import { INPUTS } from './gallery-inputs';
import { pictureProblem } from './pictures';

type Mode = 'light' | 'dark' | 'ar';

function modes({ dark, arabic }: Picture): Mode[] {
  return ['light', ...(dark ? (['dark'] as const) : []), ...(arabic ? (['ar'] as const) : [])];
}

describe('every kind of layer looks as it did when it was looked at', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });

  it.each(Object.entries({ ...DISPLAY, ...INPUTS }))('%s', async (name, picture) => {
    const page = await open();
    const first = screen('scr_a', picture.layers, {
      body: { gap: 16 },
      containerStyle: { padding: { t: 20, b: 20, l: 20, r: 20 } },
      next: { default: 'scr_other' },
    });
    const flow = manifest([first, lastScreen('scr_other')], { locales: ['en', 'ar'], theme: THEME });
    const problems: (string | null)[] = [];
    for (const mode of modes(picture)) {
      await mount(page, flow, {
        theme: mode === 'dark' ? 'dark' : 'light',
        locale: mode === 'ar' ? 'ar' : 'en',
        mediaMap: MEDIA,
        branding: BRANDING,
        timeMs: picture.timeMs ?? Number.MAX_SAFE_INTEGER,
        strict: picture.open === undefined,
      });
      await prepare(page, picture);
      await settled(page);
      problems.push(await pictureProblem(page, mode === 'light' ? name : `${name}-${mode}`));
    }
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });
});

type Page = Awaited<ReturnType<ReturnType<typeof useBrowser>>>;

/** Fills in and opens what the picture is of. */
async function prepare(page: Page, { type = {}, tap = [], open }: Picture): Promise<void> {
  for (const [id, words] of Object.entries(type)) {
    const field = page.locator(`${at(id)} input, ${at(id)} textarea`).first();
    await field.fill(words);
    await field.blur();
  }
  for (const id of tap) await page.click(at(id));
  if (tap.length > 0) await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  if (!open) return;
  await page.click(`${at(open)} [role=button]`);
  await page.getByRole('button', { name: 'Close' }).waitFor();
}

/** Waits until pictures are there and the layout stands still. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate(async () => {
    const places = () =>
      [...document.querySelectorAll('[data-testid]')].map((box) => JSON.stringify(box.getBoundingClientRect())).join();
    const frames = (count: number): Promise<void> =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => requestAnimationFrame(() => resolve(frames(count - 1))));
    await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
    for (let before = '', now = places(); before !== now; before = now, now = places()) await frames(6);
  });
}
