import type { Layer, StackLayer } from '@svc/core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { button, lastScreen, manifest, screen, text } from '../support/manifests';
import { at, mount, useBrowser } from './browser';

const box = async (page: Page, id: string) => {
  const found = await page.locator(at(id)).boundingBox();
  if (!found) throw new Error(`${id} is not shown`);
  return found;
};
const css = (page: Page, id: string, property: string) =>
  page.locator(at(id)).evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
const stack = (id: string, children: Layer[], extra: Partial<StackLayer> = {}): StackLayer => ({
  id,
  kind: 'stack',
  direction: 'vertical',
  children,
  ...extra,
});

describe('layout', () => {
  const open = useBrowser();

  it('keeps header and footer in place while the body scrolls', async () => {
    const page = await open();
    const long = Array.from({ length: 40 }, (_, i) => text(`lyr_t${i}`, `Line ${i}`, { fontSize: 20 }));
    const flow = screen('scr_a', long);
    flow.regions.header = stack('lyr_head', [text('lyr_h', 'Head')]);
    flow.regions.footer = stack('lyr_foot', [text('lyr_f', 'Foot')]);
    await mount(page, manifest([flow]));
    const before = [await box(page, 'lyr_head'), await box(page, 'lyr_foot')];
    expect(before[1]!.y + before[1]!.height).toBeCloseTo(800, 0);
    await page.mouse.move(200, 400);
    await page.mouse.wheel(0, 500);
    await expect.poll(async () => (await box(page, 'lyr_t0')).y).toBeLessThan(0);
    expect([await box(page, 'lyr_head'), await box(page, 'lyr_foot')]).toEqual(before);
  });

  it('gives sizes by keyword, share and pixels', async () => {
    const page = await open();
    const row = stack(
      'lyr_row',
      [
        stack('lyr_fixed', [], { style: { width: 50, height: 20 } }),
        stack('lyr_grow', [], { style: { width: 'full', height: 20 } }),
        stack('lyr_hug', [text('lyr_hug_t', 'ab')], { style: { width: 'auto', height: 20 } }),
      ],
      { direction: 'horizontal', gap: 10, style: { width: 'full' } },
    );
    const layers = [
      row,
      stack('lyr_third', [], { style: { width: '1/3', height: 10 } }),
      stack('lyr_inset', [], { style: { width: 'full', height: 10, margin: { l: 20, r: 10 } } }),
      stack('lyr_narrow', [], { style: { width: 'full', maxWidth: 100, height: 10 } }),
      stack('lyr_fill', [], { style: { width: 'full', height: 'fill' } }),
    ];
    await mount(page, manifest([screen('scr_a', layers, { body: { align: 'center', gap: 0 } })]));
    const hug = await box(page, 'lyr_hug');
    expect((await box(page, 'lyr_fixed')).width).toBe(50);
    expect(await box(page, 'lyr_grow')).toMatchObject({ x: 60, width: 390 - 60 - 10 - hug.width });
    expect((await box(page, 'lyr_third')).width).toBeCloseTo(130, 0);
    expect(await box(page, 'lyr_inset')).toMatchObject({ x: 20, width: 360 });
    expect((await box(page, 'lyr_narrow')).x).toBe(145);
    const fill = await box(page, 'lyr_fill');
    expect(fill.y + fill.height).toBe(800);
    expect(hug.width).toBeLessThan(60);
  });

  it('lets a hugging box hug wherever it stands, and mirrors what stands at the start', async () => {
    const page = await open();
    const layers = [
      stack('lyr_start', [text('lyr_a', 'ab')], { style: { width: 'auto', padding: { l: 30 } } }),
      stack('lyr_badge', [], {
        style: { position: 'absolute', inset: { t: 0, r: 0 }, width: 20, height: 20 },
      }),
      stack('lyr_cover', [], { style: { position: 'absolute', width: 'full', height: 'full', inset: { t: 10 } } }),
    ];
    const flow = manifest([screen('scr_a', layers)], { locales: ['en', 'ar'] });
    await mount(page, flow);
    expect((await box(page, 'lyr_start')).x).toBe(0);
    expect((await box(page, 'lyr_a')).x).toBe(30);
    expect((await box(page, 'lyr_badge')).x).toBe(370);
    expect(await box(page, 'lyr_cover')).toEqual({ x: 0, y: 10, width: 390, height: 790 });
    await mount(page, flow, { locale: 'ar' });
    const start = await box(page, 'lyr_start');
    expect(start.x + start.width).toBe(390);
    expect((await box(page, 'lyr_a')).x).toBe(start.x);
    expect((await box(page, 'lyr_badge')).x).toBe(0);
  });

  it('follows breakpoints as the screen is resized', async () => {
    const page = await open();
    const layers = [
      stack('lyr_s', [text('lyr_a', 'a'), text('lyr_b', 'b')], {
        stackLayoutBreakpoints: { md: { direction: 'horizontal' } },
      }),
    ];
    await mount(page, manifest([screen('scr_a', layers)]));
    expect(await css(page, 'lyr_s', 'flex-direction')).toBe('column');
    await page.setViewportSize({ width: 800, height: 800 });
    await expect.poll(() => css(page, 'lyr_s', 'flex-direction')).toBe('row');
  });

  it('shrinks a picture that is wider than its place, in its own shape', async () => {
    const page = await open();
    const image: Layer = { id: 'lyr_i', kind: 'image', media: { mediaAssetId: 'm' }, alt: 'Hills' };
    const narrow = stack('lyr_n', [image], { style: { width: 100 } });
    await mount(page, manifest([screen('scr_a', [narrow])]), { mediaMap: { m: '/picture.png' } });
    await expect.poll(async () => (await box(page, 'lyr_i')).height).toBe(60);
    expect((await box(page, 'lyr_i')).width).toBe(100);
  });
});

describe('motion', () => {
  const open = useBrowser();
  const entrance = (durationMs: number) => ({
    animations: [
      {
        id: 'c',
        targetLayerId: 'lyr_m',
        trigger: 'mount' as const,
        durationMs,
        tracks: [
          {
            property: 'opacity' as const,
            keyframes: [
              { t: 0, value: 0 },
              { t: 1, value: 1 },
            ],
          },
          {
            property: 'translateY' as const,
            keyframes: [
              { t: 0, value: 40 },
              { t: 1, value: 10 },
            ],
          },
        ],
      },
    ],
  });

  it('plays an entrance, holds its end and goes on with the motion of rest', async () => {
    const page = await open();
    const layer: Layer = {
      ...text('lyr_m', 'moves'),
      restingMotion: { preset: 'rotate', rotateMaxDeg: 90, cycleDurationMs: 400, loop: true },
    };
    await mount(page, manifest([screen('scr_a', [layer], entrance(3_000))]));
    expect(Number(await css(page, 'lyr_m', 'opacity'))).toBeLessThan(1);
    await expect.poll(() => css(page, 'lyr_m', 'opacity'), { timeout: 10_000 }).toBe('1');
    const turned = async () => {
      const [a, b, , , x, y] = /matrix\((.*)\)/
        .exec(await css(page, 'lyr_m', 'transform'))![1]!
        .split(',')
        .map(Number);
      return { degrees: (Math.atan2(b!, a!) * 180) / Math.PI, x, y };
    };
    await expect.poll(async () => (await turned()).degrees, { interval: 20 }).toBeGreaterThan(20);
    expect(await turned()).toMatchObject({ x: 0, y: 10 });
  });

  it('shows end states when the visitor wants less motion', async () => {
    const page = await open();
    await mount(page, manifest([screen('scr_a', [text('lyr_m', 'x')], entrance(60_000))]), { reducedMotion: true });
    expect(await css(page, 'lyr_m', 'opacity')).toBe('1');
  });

  it('freezes at a moment', async () => {
    const page = await open();
    await mount(page, manifest([screen('scr_a', [text('lyr_m', 'x')], entrance(1_000))]), { timeMs: 250 });
    expect(await css(page, 'lyr_m', 'opacity')).toBe('0.25');
  });

  it('shows a press, and lets go of it', async () => {
    const page = await open();
    await mount(page, manifest([screen('scr_a', [button('lyr_b', { kind: 'continue' })])]));
    const { x, y } = await box(page, 'lyr_b');
    await page.mouse.move(x + 20, y + 20);
    await page.mouse.down();
    await expect.poll(() => css(page, 'lyr_b', 'opacity')).toBe('0.85');
    expect(await css(page, 'lyr_b', 'transform')).toBe('matrix(0.97, 0, 0, 0.97, 0, 0)');
    await page.mouse.move(0, 700);
    await page.mouse.up();
    await expect.poll(() => css(page, 'lyr_b', 'opacity')).toBe('1');
    expect(await page.evaluate(() => window.seen.responses)).toEqual([]);
  });

  it('fills a loader and leads on when it is full', async () => {
    const page = await open();
    const loader: Layer = {
      id: 'lyr_l',
      kind: 'loader',
      durationMs: 700,
      onComplete: { mode: 'screen', screenId: 'scr_b' },
    };
    await mount(page, manifest([screen('scr_a', [loader]), lastScreen('scr_b')]));
    const filled = () =>
      page
        .locator(`${at('lyr_l')} > div`)
        .evaluate((bar) => bar.getBoundingClientRect().width, undefined, { timeout: 500 });
    await expect.poll(filled, { interval: 20 }).toBeGreaterThan(100);
    await page.waitForSelector(at('scr_b'));
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'go_to_screen', screenId: 'scr_b' }]);
  });
});

describe('taps', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });

  it('lead from screen to screen and take the focus along', async () => {
    const page = await open();
    const second = screen('scr_b', [button('lyr_one', { kind: 'skip' }), button('lyr_end', { kind: 'end_flow' })]);
    const first = screen('scr_a', [button('lyr_go', { kind: 'continue' }, 'Go on')], { next: { default: 'scr_b' } });
    await mount(page, manifest([first, second]));
    await page.getByRole('button', { name: 'Go on' }).tap();
    await page.waitForSelector(at('scr_b'));
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset.testid)).toBe('scr_b');
    await page.locator(at('lyr_end')).tap();
    await page.waitForSelector(at('ended'));
    expect(await page.evaluate(() => window.seen.actions)).toEqual(['continue', 'end_flow']);
  });

  it('open links and report them', async () => {
    const page = await open();
    const link: Layer = {
      id: 'lyr_h',
      kind: 'hyperlink',
      href: 'https://example.com/',
      children: [text('lyr_t', 'Terms')],
    };
    await mount(page, manifest([screen('scr_a', [link])]));
    await page.getByRole('link', { name: 'Terms' }).tap();
    expect(await page.evaluate(() => window.seen)).toMatchObject({
      links: ['https://example.com/'],
      opened: ['https://example.com/'],
    });
    expect((await box(page, 'lyr_h')).width).toBeLessThan(100);
  });

  it('start a film, whose end leads on', async () => {
    const page = await open();
    const film: Layer = {
      id: 'lyr_v',
      kind: 'video',
      media: { mediaAssetId: 'm' },
      loop: false,
      autoPlay: false,
      onComplete: { mode: 'next' },
    };
    const play = button('lyr_play', { kind: 'play_media', targetLayerIds: ['lyr_v'] });
    const first = screen('scr_a', [film, play], { next: { default: 'scr_b' } });
    await mount(page, manifest([first, lastScreen('scr_b')]), { mediaMap: { m: 'https://media.example/clip.mp4' } });
    await page.getByText('clip.mp4 contain once muted waiting').waitFor();
    await page.locator(at('lyr_play')).tap();
    await page.getByText('clip.mp4 contain once muted playing').waitFor();
    await page.locator(at('film')).tap();
    await page.waitForSelector(at('scr_b'));
  });

  it('play an animation whose end leads on', async () => {
    const page = await open();
    const animation = {
      v: '5.7.0',
      fr: 30,
      ip: 0,
      op: 6,
      w: 40,
      h: 20,
      layers: [{ ty: 1, nm: 'plate', ind: 1, ip: 0, op: 6, st: 0, sw: 40, sh: 20, sc: '#2a9d8f', ks: {} }],
    };
    const lottie: Layer = {
      id: 'lyr_lo',
      kind: 'lottie',
      media: { mediaAssetId: 'm' },
      loop: false,
      autoPlay: false,
      onComplete: { mode: 'next' },
    };
    const play = button('lyr_play', { kind: 'play_media', targetLayerIds: ['lyr_lo'] });
    const first = screen('scr_a', [lottie, play], { next: { default: 'scr_b' } });
    const mediaMap = { m: `data:application/json,${encodeURIComponent(JSON.stringify(animation))}` };
    await mount(page, manifest([first, lastScreen('scr_b')]), { mediaMap });
    await page.locator(`${at('lyr_lo')} svg`).waitFor({ state: 'attached' });
    await page.locator(at('lyr_play')).tap();
    await page.waitForSelector(at('scr_b'));
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'cta', action: 'primary' }]);
  });
});

describe('a carousel', () => {
  const open = useBrowser({ reducedMotion: 'reduce' });
  const slide = (id: string) => stack(id, [text(`${id}_t`, id, { fontSize: 30 })]);
  const swipe = (page: Page, left: number) =>
    page.locator(at('lyr_c:pager')).evaluate((pager, to) => {
      pager.scrollLeft = to;
    }, left);

  it('completes when a swipe comes to rest on the last slide', async () => {
    const page = await open();
    const carousel: Layer = {
      id: 'lyr_c',
      kind: 'carousel',
      slides: [slide('lyr_s1'), slide('lyr_s2')],
      pagePeek: 20,
      pageSpacing: 10,
    };
    const first = screen('scr_a', [carousel], { next: { default: 'scr_b' } });
    await mount(page, manifest([first, lastScreen('scr_b')]));
    await expect.poll(() => box(page, 'lyr_s1')).toMatchObject({ x: 20, width: 350 });
    await swipe(page, 360);
    await page.waitForSelector(at('scr_b'));
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'carousel' }]);
  });

  it('opens where it is told and pages by a button, in either direction of reading', async () => {
    const page = await open();
    const slides = [slide('lyr_s1'), slide('lyr_s2'), slide('lyr_s3')];
    const carousel: Layer = { id: 'lyr_c', kind: 'carousel', openOn: 1, slides };
    const next = button('lyr_next', { kind: 'advance_carousel', targetLayerId: 'lyr_c' });
    const flow = manifest([screen('scr_a', [carousel, next])], { locales: ['en', 'ar'] });
    for (const locale of ['en', 'ar']) {
      await mount(page, flow, { locale });
      await expect.poll(async () => (await box(page, 'lyr_s2')).x).toBe(0);
      const first = await box(page, 'lyr_s1');
      expect(first.x).toBe(locale === 'ar' ? 390 : -390);
      await page.locator(at('lyr_next')).tap();
      await expect.poll(async () => (await box(page, 'lyr_s3')).x).toBe(0);
      expect(await page.evaluate(() => window.seen.responses)).toEqual([]);
    }
  });
});
