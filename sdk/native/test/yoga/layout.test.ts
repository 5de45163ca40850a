import { readFileSync } from 'node:fs';
import type { FlowManifest, Layer, Screen, StackLayer } from '@svc/core';
import { allScreenLayers, walkLayers } from '@svc/core/internal';
import { describe, expect, it } from 'vitest';
import { button, text } from '../support/manifests';
import { layOut, placesOf } from './lay-out';

const stack = (id: string, children: Layer[], extra: Partial<StackLayer> = {}): StackLayer => ({
  id,
  kind: 'stack',
  direction: 'vertical',
  children,
  ...extra,
});
/** Letters are half as wide as they are high: `px` wide words of 10 px. */
const words = (id: string, copy: string, extra: object = {}): Layer => text(id, copy, { fontSize: 10, ...extra });

function exampleScreens(name: string): Screen[] {
  const file = new URL(`../../../../manifest/examples/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as FlowManifest).screens;
}

describe('on a phone, whose layout engine is not a browser', () => {
  it('sizes are given by keyword, share and pixels', async () => {
    const row = stack(
      'lyr_row',
      [
        stack('lyr_fixed', [], { style: { width: 50, height: 20 } }),
        stack('lyr_grow', [], { style: { width: 'full', height: 20 } }),
        stack('lyr_hug', [words('lyr_hug_t', 'abcd')], { style: { width: 'auto', height: 20 } }),
      ],
      { direction: 'horizontal', gap: 10, style: { width: 'full' } },
    );
    const at = await layOut(
      [
        row,
        stack('lyr_third', [], { style: { width: '1/3', height: 10 } }),
        stack('lyr_inset', [], { style: { width: 'full', height: 10, margin: { l: 20, r: 10 } } }),
        stack('lyr_narrow', [], { style: { width: 'full', maxWidth: 100, height: 10 } }),
        stack('lyr_fill', [], { style: { width: 'full', height: 'fill' } }),
      ],
      { body: { align: 'center', gap: 0 } },
    );
    expect(at('lyr_fixed').width).toBe(50);
    expect(at('lyr_hug')).toMatchObject({ x: 370, width: 20 });
    expect(at('lyr_grow')).toMatchObject({ x: 60, width: 300 });
    expect(at('lyr_third')).toMatchObject({ x: 130, width: 130 });
    expect(at('lyr_inset')).toMatchObject({ x: 20, width: 360 });
    expect(at('lyr_narrow')).toMatchObject({ x: 145, width: 100 });
    const fill = at('lyr_fill');
    expect(fill.y + fill.height).toBe(800);
  });

  it('header and footer hug, and a long body overflows its place instead of squeezing', async () => {
    const long = Array.from({ length: 100 }, (_, i) => words(`lyr_t${i}`, 'line'));
    const regions = {
      header: stack('lyr_head', [words('lyr_h', 'Head')]),
      body: stack('lyr_body', long, { gap: 0 }),
      footer: stack('lyr_foot', [words('lyr_f', 'Foot')]),
    };
    const at = await layOut([], { regions });
    expect(at('lyr_head')).toEqual({ x: 0, y: 0, width: 390, height: 10 });
    expect(at('lyr_foot')).toEqual({ x: 0, y: 790, width: 390, height: 10 });
    expect(at('lyr_t99')).toMatchObject({ y: 1_000, height: 10 });
  });

  it('a short body fills the room between them', async () => {
    const at = await layOut([stack('lyr_top', []), stack('lyr_end', [], { style: { height: 30 } })], {
      body: { distribution: 'between' },
    });
    expect(at('lyr_end').y).toBe(770);
  });

  it('a hugging box hugs wherever it stands', async () => {
    const hug = (id: string) => stack(id, [words(`${id}_t`, 'ab')], { style: { width: 'auto' } });
    const at = await layOut([
      hug('lyr_a'),
      stack('lyr_col', [hug('lyr_b')], { align: 'end' }),
      stack('lyr_line', [hug('lyr_c')], { direction: 'horizontal', align: 'center' }),
    ]);
    expect(['lyr_a', 'lyr_b', 'lyr_c'].map((id) => [at(id).x, at(id).width])).toEqual([
      [0, 10],
      [380, 10],
      [0, 10],
    ]);
  });

  it('words of one piece keep it in a row, and sentences wrap beside them', async () => {
    const sentence = Array.from({ length: 30 }, () => 'word').join(' ');
    const chip = stack('lyr_chip', [words('lyr_chip_t', 'Monstera')], { style: { padding: { l: 5, r: 5 } } });
    const at = await layOut([
      stack('lyr_row', [words('lyr_short', 'Short'), words('lyr_long', sentence), chip], {
        direction: 'horizontal',
        align: 'start',
      }),
    ]);
    expect(at('lyr_short')).toMatchObject({ width: 25, height: 10 });
    expect(at('lyr_chip')).toMatchObject({ x: 340, width: 50 });
    expect(at('lyr_long').height).toBe(30);
  });

  it('what is laid over a box covers it, and mirrors with the reading direction', async () => {
    const card = stack(
      'lyr_card',
      [
        stack('lyr_badge', [], { style: { position: 'absolute', inset: { t: -8, r: -8 }, width: 24, height: 24 } }),
        stack('lyr_cover', [], { style: { position: 'absolute', width: 'full', height: 'full', inset: { t: 10 } } }),
        words('lyr_t', 'abcd'),
      ],
      { style: { width: 200, height: 100, padding: { l: 30 } } },
    );
    let at = await layOut([card]);
    expect(at('lyr_badge')).toMatchObject({ x: 184, y: -8 });
    expect(at('lyr_cover')).toEqual({ x: 0, y: 10, width: 200, height: 90 });
    expect(at('lyr_t').x).toBe(30);
    at = await layOut([card], { props: { locale: 'ar' } });
    expect(at('lyr_card')).toMatchObject({ x: 190, width: 200 });
    expect(at('lyr_badge')).toMatchObject({ x: 190 - 8, y: -8 });
    expect(at('lyr_t')).toMatchObject({ x: 190, width: 170 });
  });

  it('buttons share a row, and media keep their shape', async () => {
    const wide = (id: string): Layer => ({ ...button(id, { kind: 'skip' }), style: { width: 'full' } }) as Layer;
    const at = await layOut([
      stack('lyr_row', [wide('lyr_b1'), wide('lyr_b2')], { direction: 'horizontal', gap: 10 }),
      { id: 'lyr_i', kind: 'image', alt: '', style: { width: 'full', aspectRatio: 3 } },
      { id: 'lyr_v', kind: 'video', style: { width: '1/2', aspectRatio: 1.5 } },
      { id: 'lyr_m', kind: 'image', alt: '', style: { width: 'full' } },
    ]);
    expect([at('lyr_b1').width, at('lyr_b2').width, at('lyr_b2').x]).toEqual([190, 190, 200]);
    expect(at('lyr_i')).toMatchObject({ width: 390, height: 130 });
    expect(at('lyr_v')).toMatchObject({ width: 195, height: 130 });
    expect(at('lyr_m').height).toBe(160);
  });

  it('a picture without a size has its own, and shrinks in its shape where there is less room', async () => {
    const picture = (id: string): Layer => ({ id, kind: 'image', media: { mediaAssetId: 'm' }, alt: '' });
    const props = { mediaMap: { m: 'https://media.example/300x150.png' } };
    const narrow = stack('lyr_n', [picture('lyr_p')], { style: { width: 100 } });
    const full = { ...picture('lyr_f'), style: { width: 'full' } } as Layer;
    const at = await layOut([picture('lyr_o'), narrow, full], { props, body: { align: 'start' } });
    expect(at('lyr_o')).toMatchObject({ width: 300, height: 150 });
    expect(at('lyr_p')).toMatchObject({ width: 100, height: 50 });
    expect(at('lyr_f')).toMatchObject({ width: 390, height: 195 });
  });

  it('nothing of the examples sticks out of the screen', async () => {
    const paged = (one: Screen): Set<string> => {
      const ids = new Set<string>();
      for (const layer of allScreenLayers(one)) {
        if (layer.kind === 'carousel') walkLayers(layer, ({ id }) => ids.add(id));
      }
      return ids;
    };
    for (const example of ['all-layers', 'branching-onboarding', 'linear-onboarding', 'paywall-flow']) {
      for (const one of exampleScreens(example)) {
        const places = await placesOf(one);
        const beside = paged(one);
        const out = Object.entries(places).filter(
          ([id, { x, width, height }]) =>
            (!beside.has(id) && (x < 0 || x + width > 390)) || !(width >= 0 && height >= 0),
        );
        expect([one.id, out]).toEqual([one.id, []]);
        expect(Object.keys(places).length).toBeGreaterThan(3);
      }
    }
  });

  it('slides are as wide as the pager without what peeks in, in either direction', async () => {
    const slide = (id: string) => stack(id, [words(`${id}_t`, 'words')], { style: { height: 50 } });
    const carousel: Layer = {
      id: 'lyr_c',
      kind: 'carousel',
      pagePeek: 20,
      pageSpacing: 10,
      slides: [slide('lyr_s1'), slide('lyr_s2'), slide('lyr_s3')],
      pageControl: { position: 'bottom' },
    };
    let at = await layOut([carousel, words('lyr_after', 'after')], { body: { gap: 0 } });
    expect(at('lyr_s1')).toEqual({ x: 20, y: 0, width: 350, height: 50 });
    expect(at('lyr_s2').x).toBe(380);
    expect(at('lyr_after').y).toBe(56);
    at = await layOut([carousel], { props: { locale: 'ar' } });
    expect([at('lyr_s3').x, at('lyr_s2').x, at('lyr_s1').x]).toEqual([-700, -340, 20]);
  });

  it('a screen keeps the padding and the margin of its container', async () => {
    const at = await layOut([stack('lyr_s', [], { style: { height: 'fill' } })], {
      containerStyle: { padding: { t: 10, l: 20 }, margin: { b: 30, r: 5 } },
    });
    expect(at('lyr_s')).toEqual({ x: 20, y: 10, width: 365, height: 760 });
  });
});
