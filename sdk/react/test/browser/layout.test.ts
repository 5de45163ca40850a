import type { Layer } from '@svc/core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { button, lastScreen, manifest, screen, text } from '../support/manifests';
import { layer, mount, PICTURE, useBrowser } from './browser';

const box = async (page: Page, id: string) => {
  const found = await page.locator(layer(id)).boundingBox();
  if (!found) throw new Error(`${id} is not shown`);
  return found;
};
const css = (page: Page, id: string, property: string) =>
  page.locator(layer(id)).evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
const stack = (id: string, children: Layer[], extra: Partial<Extract<Layer, { kind: 'stack' }>> = {}): Layer => ({
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
    flow.regions.header = stack('lyr_head', [text('lyr_h', 'Head')]) as never;
    flow.regions.footer = stack('lyr_foot', [text('lyr_f', 'Foot')]) as never;
    await mount(page, manifest([flow]));
    const before = [await box(page, 'lyr_head'), await box(page, 'lyr_foot')];
    expect(before[1]!.y + before[1]!.height).toBeCloseTo(800, 0);
    await page.locator('.svc-body').evaluate((element) => element.scrollTo(0, 500));
    expect([await box(page, 'lyr_head'), await box(page, 'lyr_foot')]).toEqual(before);
    expect((await box(page, 'lyr_t0')).y).toBeLessThan(0);
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
      { direction: 'horizontal', gap: 10 },
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
    expect((await box(page, 'lyr_third')).width).toBeCloseTo(130, 0);
    const inset = await box(page, 'lyr_inset');
    expect([inset.x, inset.width]).toEqual([20, 360]);
    expect((await box(page, 'lyr_narrow')).x).toBe(145);
    const fill = await box(page, 'lyr_fill');
    expect(fill.y + fill.height).toBe(800);
    expect(hug.width).toBeLessThan(60);
  });

  it('stretches a growing child of a full row to what its siblings leave', async () => {
    const page = await open();
    const children = [
      stack('lyr_fixed', [], { style: { width: 50, height: 20 } }),
      stack('lyr_grow', [], { style: { width: 'full', height: 20 } }),
    ];
    const row = stack('lyr_row', children, { direction: 'horizontal', gap: 10, style: { width: 'full' } });
    await mount(page, manifest([screen('scr_a', [row])]));
    expect(await box(page, 'lyr_grow')).toMatchObject({ x: 60, width: 330 });
  });

  it('follows breakpoints as the screen is resized', async () => {
    const page = await open();
    const layers = [
      stack('lyr_s', [text('lyr_a', 'a'), text('lyr_b', 'b')], {
        stackLayoutBreakpoints: { md: { direction: 'horizontal' } },
      }),
      { ...text('lyr_t', 'words', { fontSize: 10 }), styleBreakpoints: { sm: { fontSize: 20 } } } as Layer,
    ];
    await mount(page, manifest([screen('scr_a', layers)]));
    expect(await css(page, 'lyr_t', 'font-size')).toBe('10px');
    await page.setViewportSize({ width: 700, height: 800 });
    await expect.poll(() => css(page, 'lyr_t', 'font-size')).toBe('20px');
    expect(await css(page, 'lyr_s', 'flex-direction')).toBe('column');
    await page.setViewportSize({ width: 800, height: 800 });
    await expect.poll(() => css(page, 'lyr_s', 'flex-direction')).toBe('row');
  });

  it('paints themed colors, gradients, borders and shadows', async () => {
    const page = await open();
    const branding = {
      colorPresets: [],
      gradientPresets: [
        {
          id: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd',
          name: 'Dawn',
          type: 'radial' as const,
          stops: [
            { offset: 0, color: '#ff0000' },
            { offset: 1, color: '#0000ff' },
          ],
        },
      ],
      fontFamilies: [],
    };
    const layers = [
      stack('lyr_plain', [], { style: { background: '$primary', height: 20, backgroundOpacity: 0.5 } }),
      stack('lyr_lin', [], { style: { background: 'linear-gradient(90deg, #ff0000 0%, #00ff00 100%)', height: 20 } }),
      stack('lyr_rad', [], {
        style: { background: '$brandGradient:dddddddd-dddd-4ddd-8ddd-dddddddddddd', height: 20 },
      }),
      stack('lyr_edge', [], {
        style: { border: { width: 3, color: '#112233' }, shadow: { blur: 4 }, height: 20, opacity: 0.5 },
      }),
    ];
    await mount(page, manifest([screen('scr_a', layers)], { theme: { primary: '#2a9d8f' } }), { branding });
    expect(await css(page, 'lyr_plain', 'background-color')).toBe('rgba(42, 157, 143, 0.5)');
    expect(await css(page, 'lyr_lin', 'background-image')).toBe(
      'linear-gradient(90deg, rgb(255, 0, 0) 0%, rgb(0, 255, 0) 100%)',
    );
    expect(await css(page, 'lyr_rad', 'background-image')).toContain('radial-gradient(circle');
    expect(await css(page, 'lyr_edge', 'border-top-width')).toBe('3px');
    expect(await css(page, 'lyr_edge', 'box-shadow')).toBe('rgba(0, 0, 0, 0.25) 0px 2px 4px 0px');
    expect(await css(page, 'lyr_edge', 'opacity')).toBe('0.5');
  });

  it('puts a picture under the screen and a scrim over it', async () => {
    const page = await open();
    const fill = {
      kind: 'image' as const,
      media: { mediaAssetId: '11111111-1111-4111-8111-111111111101' },
      scrim: { opacity: 0.3 },
    };
    await mount(
      page,
      manifest([screen('scr_a', [text('lyr_t', 'over')], { containerStyle: { backgroundFill: fill } })]),
      {
        mediaMap: { '11111111-1111-4111-8111-111111111101': PICTURE },
      },
    );
    const image = await page.locator('[data-screen] img').boundingBox();
    expect(image).toMatchObject({ width: 390, height: 800 });
    const over = await page.evaluate(() => document.elementFromPoint(10, 10)?.closest('[data-layer]') !== null);
    expect(over).toBe(true);
    expect(
      await page
        .locator('[data-screen] img')
        .evaluate((img) => getComputedStyle(img.parentElement!.nextElementSibling!).backgroundColor),
    ).toBe('rgba(0, 0, 0, 0.3)');
  });

  it('names uploaded fonts in font-face rules and nowhere else', async () => {
    const page = await open();
    const branding = {
      colorPresets: [],
      gradientPresets: [],
      fontFamilies: [
        {
          id: 'f',
          name: 'My "Font"',
          styles: [{ id: 's', weight: 700, italic: false, url: 'data:font/woff2;base64,AA</style><b>x' }],
        },
      ],
    };
    const layers = [text('lyr_t', 'words', { fontFamily: 'My "Font"', fontWeight: 700 })];
    await mount(page, manifest([screen('scr_a', layers)]), { branding });
    expect(await css(page, 'lyr_t', 'font-family')).toContain('My \\"Font\\"');
    expect(await page.evaluate(() => [...document.fonts].map((font) => `${font.family} ${font.weight}`))).toEqual([
      'My "Font" 700',
    ]);
    expect(await page.locator('[data-screen] b').count()).toBe(0);
  });
});

describe('movement', () => {
  const open = useBrowser();

  it('plays entrances, holds their end and moves on at rest', async () => {
    const page = await open();
    const moving: Layer = {
      ...text('lyr_m', 'moving'),
      restingMotions: [{ id: 'r', preset: 'rotate', rotateMaxDeg: 90, loop: true, cycleDurationMs: 400 }],
    };
    const flow = screen('scr_a', [moving, text('lyr_in', 'fades')], {
      animations: [
        {
          id: 'c',
          targetLayerId: 'lyr_in',
          trigger: 'mount',
          durationMs: 300,
          tracks: [
            {
              property: 'opacity',
              keyframes: [
                { t: 0, value: 0 },
                { t: 1, value: 0.5 },
              ],
            },
            {
              property: 'translateY',
              keyframes: [
                { t: 0, value: 40 },
                { t: 1, value: 10 },
              ],
            },
          ],
        },
      ],
    });
    await mount(page, manifest([flow]));
    await expect.poll(() => css(page, 'lyr_in', 'opacity')).toBe('0.5');
    expect(await css(page, 'lyr_in', 'transform')).toBe('matrix(1, 0, 0, 1, 0, 10)');
    const angles = new Set<string>();
    await expect
      .poll(async () => angles.add(await css(page, 'lyr_m', 'transform')).size, { interval: 20 })
      .toBeGreaterThan(4);
  });

  it('shows end states when the visitor wants less motion', async () => {
    const page = await open();
    const flow = screen('scr_a', [{ ...text('lyr_m', 'x'), restingMotion: { preset: 'pulse', loop: true } }], {
      animations: [
        {
          id: 'c',
          targetLayerId: 'lyr_m',
          trigger: 'mount',
          durationMs: 60_000,
          tracks: [
            {
              property: 'opacity',
              keyframes: [
                { t: 0, value: 0 },
                { t: 1, value: 1 },
              ],
            },
          ],
        },
      ],
    });
    await mount(page, manifest([flow]), { reducedMotion: true });
    expect(await css(page, 'lyr_m', 'opacity')).toBe('1');
  });

  it('leads on when a loader is full', async () => {
    const page = await open();
    const loader: Layer = {
      id: 'lyr_l',
      kind: 'loader',
      durationMs: 200,
      onComplete: { mode: 'screen', screenId: 'scr_b' },
    };
    await mount(page, manifest([screen('scr_a', [loader]), lastScreen('scr_b')]));
    await page.waitForSelector('[data-screen=scr_b]');
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'go_to_screen', screenId: 'scr_b' }]);
  });
});

describe('focus and keys', () => {
  const open = useBrowser();

  it('moves the focus to a new screen and through it in order', async () => {
    const page = await open();
    const second = screen('scr_b', [button('lyr_one', { kind: 'skip' }), button('lyr_two', { kind: 'end_flow' })]);
    await mount(
      page,
      manifest([screen('scr_a', [button('lyr_go', { kind: 'continue' })], { next: { default: 'scr_b' } }), second]),
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-screen=scr_b]');
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset);
    expect(await focused()).toMatchObject({ screen: 'scr_b' });
    await page.keyboard.press('Tab');
    expect(await focused()).toMatchObject({ layer: 'lyr_one' });
    await page.keyboard.press('Tab');
    expect(await focused()).toMatchObject({ layer: 'lyr_two' });
  });

  it('shows what is wrong when Continue is pressed too early, and submits with Enter', async () => {
    const page = await open();
    const input: Layer = {
      id: 'lyr_in',
      kind: 'text_input',
      fieldKey: 'mail',
      classification: 'safe',
      inputType: 'email',
    };
    const flow = screen('scr_a', [input, button('lyr_go', { kind: 'continue' })], { next: { default: 'scr_b' } });
    await mount(page, manifest([flow, lastScreen('scr_b')]));
    await page.dispatchEvent(layer('lyr_go'), 'click');
    await page.getByRole('alert').filter({ hasText: 'fill in' }).waitFor();
    await page.fill('input', 'ana@');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'email address' }).waitFor();
    await page.fill('input', ' ana@example.com ');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-screen=scr_b]');
    expect(await page.evaluate(() => window.seen.responses)).toEqual([
      { kind: 'text', value: 'ana@example.com', classification: 'safe' },
    ]);
  });
});

describe('carousel and wheel', () => {
  const open = useBrowser();
  const slide = (id: string) => ({
    ...(stack(id, [text(`${id}_t`, id, { fontSize: 30 })]) as Extract<Layer, { kind: 'stack' }>),
  });

  it('completes when a swipe comes to rest on the last slide', async () => {
    const page = await open();
    const carousel: Layer = {
      id: 'lyr_c',
      kind: 'carousel',
      slides: [slide('lyr_s1'), slide('lyr_s2')],
      pagePeek: 20,
      pageSpacing: 10,
    };
    await mount(page, manifest([screen('scr_a', [carousel], { next: { default: 'scr_b' } }), lastScreen('scr_b')]));
    expect(await box(page, 'lyr_s1')).toMatchObject({ x: 20, width: 350 });
    await page.locator('.svc-pager').evaluate((pager) => pager.scrollTo({ left: 360 }));
    await page.waitForSelector('[data-screen=scr_b]');
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'carousel' }]);
  });

  it('pages in Arabic too, opens where it is told, and hides the other slides', async () => {
    const page = await open();
    const carousel: Layer = {
      id: 'lyr_c',
      kind: 'carousel',
      slides: [slide('lyr_s1'), slide('lyr_s2'), slide('lyr_s3')],
      openOn: 1,
    };
    const buttons = [button('lyr_next', { kind: 'advance_carousel', targetLayerId: 'lyr_c' })];
    const flow = manifest([screen('scr_a', [carousel, ...buttons])], { locales: ['en', 'ar'] });
    await mount(page, flow, { locale: 'ar', reducedMotion: true });
    await expect.poll(async () => (await box(page, 'lyr_s2')).x).toBe(0);
    expect(
      await page
        .locator('[aria-roledescription=slide]')
        .evaluateAll((all) => all.map((one) => (one as HTMLElement).inert)),
    ).toEqual([true, false, true]);
    await page.click(layer('lyr_next'));
    await expect.poll(async () => (await box(page, 'lyr_s3')).x).toBe(0);
    await page.click(layer('lyr_next'));
    expect(await page.evaluate(() => window.seen.responses)).toEqual([]);
  });

  it('takes the item that the wheel is turned to', async () => {
    const page = await open();
    const wheel: Layer = {
      id: 'lyr_w',
      kind: 'wheel_picker',
      fieldKey: 'year',
      mode: 'date',
      minYear: 1990,
      maxYear: 2000,
    };
    const flow = screen('scr_a', [wheel, button('lyr_go', { kind: 'continue' })]);
    await mount(page, manifest([flow]), { reducedMotion: true });
    const selected = () => page.locator('[role=option][aria-selected=true]').textContent();
    expect(await selected()).toBe('1995');
    await page.locator('.svc-wheel').evaluate((element) => element.scrollTo({ top: 44 * 8 }));
    await expect.poll(selected).toBe('1998');
    await page.click(layer('lyr_go'));
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'wheel', value: '1998' }]);
  });
});

describe('what is loaded when it is shown', () => {
  const open = useBrowser();
  const animation = {
    v: '5.7.0',
    fr: 30,
    ip: 0,
    op: 6,
    w: 40,
    h: 20,
    layers: [{ ty: 1, nm: 'plate', ind: 1, ip: 0, op: 6, st: 0, sw: 40, sh: 20, sc: '#2a9d8f', ks: {} }],
  };
  const id = '11111111-1111-4111-8111-111111111102';
  const mediaMap = { [id]: `data:application/json,${encodeURIComponent(JSON.stringify(animation))}` };
  const lottie: Layer = {
    id: 'lyr_lo',
    kind: 'lottie',
    media: { mediaAssetId: id },
    loop: false,
    onComplete: { mode: 'next' },
    style: { width: 80, height: 40 },
  };
  const flow = manifest([screen('scr_a', [lottie], { next: { default: 'scr_b' } }), lastScreen('scr_b')]);

  it('plays an animation and leads on when it has ended', async () => {
    const page = await open();
    // It may be over before a busy machine looks for it.
    await page.evaluate(
      (drawn) => {
        new MutationObserver(() => {
          if (document.querySelector(drawn)) document.documentElement.dataset.drawn = 'yes';
        }).observe(document, { childList: true, subtree: true });
      },
      `${layer('lyr_lo')} svg`,
    );
    await mount(page, flow, { mediaMap });
    await page.waitForSelector('[data-screen=scr_b]');
    expect(await page.evaluate(() => document.documentElement.dataset.drawn)).toBe('yes');
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'cta', action: 'primary' }]);
  });

  it('shows the last frame of an animation and leads on at once when less motion is wanted', async () => {
    const page = await open();
    await mount(page, flow, { mediaMap, reducedMotion: true });
    await page.waitForSelector('[data-screen=scr_b]');
    expect(await page.evaluate(() => window.seen.responses)).toEqual([{ kind: 'cta', action: 'primary' }]);
  });

  it('draws an icon in its color, and turns arrows around in Arabic', async () => {
    const page = await open();
    const icon: Layer = {
      id: 'lyr_ic',
      kind: 'icon',
      family: 'ionicons',
      iconName: 'chevron-back',
      style: { color: '#112233', width: 30, height: 40 },
    };
    const arabic = manifest([screen('scr_a', [icon])], { locales: ['en', 'ar'] });
    await mount(page, arabic, { locale: 'ar' });
    await page.locator(`${layer('lyr_ic')} svg path`).waitFor({ state: 'attached' });
    const glyph = await page.locator(`${layer('lyr_ic')} svg`).evaluate((svg) => {
      const { color, scale, width } = getComputedStyle(svg);
      return { color, scale, width };
    });
    expect(glyph).toEqual({ color: 'rgb(17, 34, 51)', scale: '-1 1', width: '30px' });
  });
});
