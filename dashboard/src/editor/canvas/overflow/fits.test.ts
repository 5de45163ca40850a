import { describe, expect, test } from 'vitest';
import { type Around, type Drawn, type Edges, misfitOf } from './fits';

const edges = (left: number, top: number, right: number, bottom: number): Edges => ({ left, top, right, bottom });
const box = (at: Edges, more: Partial<Around> = {}): Around => ({
  box: at,
  cutsX: false,
  cutsY: false,
  scrollsX: false,
  scrollsY: false,
  free: false,
  ...more,
});
const drawn = (words: Edges, around: Around[], more: Partial<Drawn> = {}): Drawn => ({
  words,
  lines: 1,
  around,
  inButton: false,
  breaks: [],
  ...more,
});
const is = (one: Drawn, lines?: number) => misfitOf(one, lines)?.is;

const screen = box(edges(0, 0, 390, 844), { cutsX: true, cutsY: true });
const body = box(edges(0, 0, 390, 844), { cutsX: true, cutsY: true, scrollsY: true });
const words = edges(20, 20, 200, 40);
const card = box(edges(10, 10, 210, 50));

describe('words', () => {
  test('fit in what holds them, to two pixels', () => {
    expect(is(drawn(words, [card, body, screen]))).toBeUndefined();
    expect(is(drawn(edges(8, 20, 212, 40), [card, screen]))).toBeUndefined();
    expect(is(drawn(edges(7, 20, 200, 40), [card, screen]))).toBe('outside');
    expect(is(drawn(edges(20, 20, 213, 40), [card, screen]))).toBe('outside');
    expect(is(drawn(edges(20, 20, 200, 53), [card, screen]))).toBe('outside');
  });

  test('are cut off by a box that hides what is beyond it, whatever lets them out before', () => {
    const hides = { ...card, cutsX: true, cutsY: true };
    expect(is(drawn(edges(20, 20, 300, 40), [hides, screen]))).toBe('cut');
    expect(is(drawn(edges(20, 20, 200, 90), [box(words), hides, screen]))).toBe('cut');
    expect(is(drawn(edges(20, 20, 420, 40), [box(edges(10, 10, 450, 50)), body, screen]))).toBe('cut');
  });

  test('that a person can scroll to are not', () => {
    expect(is(drawn(edges(20, 900, 200, 940), [body, screen]))).toBeUndefined();
    const pager = { ...card, cutsX: true, cutsY: true, scrollsX: true };
    expect(is(drawn(edges(400, 20, 600, 40), [box(edges(400, 10, 610, 50)), pager, screen]))).toBeUndefined();
    expect(is(drawn(edges(400, 20, 600, 90), [pager, screen]))).toBe('cut');
  });

  test('that their author placed may lie over the edge of what they stand in', () => {
    const badge = box(edges(20, -10, 90, 12), { free: true });
    expect(is(drawn(edges(24, -8, 86, 10), [badge, card]))).toBeUndefined();
    expect(is(drawn(edges(24, -8, 120, 10), [badge, card]))).toBe('outside');
    expect(is(drawn(edges(-30, 0, 40, 10), [box(edges(-30, 0, 40, 10), { free: true }), card, screen]))).toBe('cut');
  });

  const broken = (before: string, after: string) => is(drawn(words, [card], { lines: 2, breaks: [[before, after]] }));

  test('are broken inside of a word, not behind a hyphen or where a language has no spaces', () => {
    expect(misfitOf(drawn(words, [card], { breaks: [['Weiter', 'bildung']] }))).toEqual({
      is: 'broken',
      detail: 'Weiter|bildung',
    });
    expect(broken('продолж', 'ить')).toBe('broken');
    expect(broken('20', '26')).toBe('broken');
    for (const [before, after] of [
      ['Online-', 'Kurs'],
      ['Weiter\u00ad', 'bildung'],
      ['und/', 'oder'],
      ['続け', 'ます'],
      ['계속', '하기'],
      ['ดำเนิน', 'การต่อ'],
    ])
      expect(broken(before!, after!)).toBeUndefined();
  });

  test('take more lines than a button has for them, unless it was drawn for as many', () => {
    const button = (lines: number) => drawn(words, [card], { lines, inButton: true });
    expect(is(button(2))).toBeUndefined();
    expect(misfitOf(button(3))).toEqual({ is: 'lines', detail: '3' });
    expect(is(button(3), 3)).toBeUndefined();
    expect(is(button(4), 3)).toBe('lines');
    expect(is(drawn(words, [card], { lines: 9 }))).toBeUndefined();
  });
});
