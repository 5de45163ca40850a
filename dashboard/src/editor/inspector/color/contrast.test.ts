import { expect, test } from 'vitest';
import { colorsOf, contrast, over, ratioInWords, readable, worst } from './contrast';
import { readColor } from './hsv';

const color = (text: string) => readColor(text)!;

test('ratios are those of WCAG 2', () => {
  const known: [string, string, number][] = [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#949494', '#ffffff', 3.03],
    ['#959595', '#ffffff', 2.99],
    ['#ff0000', '#ffffff', 4],
    ['#0000ff', '#ffffff', 8.59],
    ['#008000', '#ffffff', 5.14],
    ['#ffff00', '#000000', 19.56],
  ];
  for (const [one, other, ratio] of known) {
    expect(contrast(color(one), color(other))).toBeCloseTo(ratio, 1);
    expect(contrast(color(other), color(one))).toBe(contrast(color(one), color(other)));
  }
  expect(contrast(color('#777777'), color('#ffffff'))).toBeLessThan(4.5);
  expect(contrast(color('#767676'), color('#ffffff'))).toBeGreaterThan(4.5);
});

test('4.49 is not said to be 4.5', () => {
  expect(ratioInWords(4.49)).toBe('4.4');
  expect(ratioInWords(21)).toBe('21.0');
});

test('what lets light through is seen on what is behind it', () => {
  expect(over(color('#00000080'), color('#ffffff')).r).toBeCloseTo(127, 0);
  expect(worst([color('#00000000')], [color('#ffffff')])).toBe(1);
});

test('a gradient counts by its worst place, which may be between its stops', () => {
  const behind = colorsOf({
    kind: 'linear',
    angle: 90,
    stops: [
      { color: '#000000', offset: 0 },
      { color: '#ffffff', offset: 1 },
    ],
  })!;
  expect(worst([color('#000000')], behind)).toBe(1);
  expect(worst([color('#777777')], [color('#000000'), color('#ffffff')])).toBeGreaterThan(4.4);
  expect(worst([color('#777777')], behind)).toBeLessThan(1.4);
  expect(colorsOf({ kind: 'color', color: 'rebeccapurple' })).toBeUndefined();
});

test('a color is made readable by as little as it takes', () => {
  const white = [color('#ffffff')];
  const near = readable(color('#999999'), white, 4.5)!;
  expect(worst([color(near)], white)).toBeGreaterThanOrEqual(4.5);
  expect(worst([color(near)], white)).toBeLessThan(4.7);
  expect(
    worst([color(readable(color('#223355'), [color('#000000')], 4.5)!)], [color('#000000')]),
  ).toBeGreaterThanOrEqual(4.5);
  // Nothing is told from black and from white at once.
  expect(readable(color('#777777'), [color('#000000'), color('#ffffff')], 7)).toBeUndefined();
});
