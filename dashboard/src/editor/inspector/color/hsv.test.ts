import { expect, test } from 'vitest';
import { hexOf, hexTyped, hsvOf, readColor } from './hsv';

test('colors that everybody knows', () => {
  const known: [string, number, number, number][] = [
    ['#ff0000', 0, 1, 1],
    ['#ffff00', 60, 1, 1],
    ['#008000', 120, 1, 0.502],
    ['#00ffff', 180, 1, 1],
    ['#000080', 240, 1, 0.502],
    ['#ff00ff', 300, 1, 1],
    ['#bf4040', 0, 0.665, 0.749],
    ['#808080', 0, 0, 0.502],
    ['#ffffff', 0, 0, 1],
    ['#000000', 0, 0, 0],
  ];
  for (const [hex, h, s, v] of known) {
    const hsv = hsvOf(readColor(hex)!);
    expect([hex, hsv.h, hsv.a]).toEqual([hex, h, 1]);
    expect(hsv.s).toBeCloseTo(s, 3);
    expect(hsv.v).toBeCloseTo(v, 3);
  }
});

test('every color is written as it was read', () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647);
  for (let i = 0; i < 20_000; i++) {
    const hex = `#${(random() % 0x1000000).toString(16).padStart(6, '0')}`;
    expect(hexOf(hsvOf(readColor(hex)!))).toBe(hex);
  }
  for (let alpha = 0; alpha < 255; alpha++) {
    const hex = `#4353d9${alpha.toString(16).padStart(2, '0')}`;
    expect(hexOf(hsvOf(readColor(hex)!))).toBe(hex);
  }
});

test('what is typed becomes hex, or nothing', () => {
  expect(hexTyped(' F00 ')).toBe('#ff0000');
  expect(hexTyped('4353D9')).toBe('#4353d9');
  expect(hexTyped('#4353d980')).toBe('#4353d980');
  expect(hexTyped('rgb(255, 128, 0)')).toBe('#ff8000');
  expect(hexTyped('rgba(0 0 0 / 50%)')).toBe('#00000080');
  expect(hexTyped('rgb(300, 0, 0)')).toBe('#ff0000');
  expect(hexTyped('white')).toBe('#ffffff');
  expect(hexTyped('transparent')).toBe('#00000000');
  for (const no of ['', '12', '#12345', 'ggg', 'constructor', 'url(x)', 'var(--x)'])
    expect([no, hexTyped(no)]).toEqual([no, undefined]);
});
