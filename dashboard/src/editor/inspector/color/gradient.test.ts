import { expect, test } from 'vitest';
import { colorAt, gradientFrom, gradientText, readGradient, widestGap, without, withStop } from './gradient';

test('a gradient is read as the SDKs read it, and written the same', () => {
  const text = 'linear-gradient(90deg, #ff7a59 0%, #7a5cff 100%)';
  expect(readGradient(text)).toEqual({
    angle: 90,
    stops: [
      { color: '#ff7a59', at: 0 },
      { color: '#7a5cff', at: 100 },
    ],
  });
  expect(gradientText(readGradient(text)!)).toBe(text);
});

test('stops are sorted, kept within the bar and rounded', () => {
  const read = readGradient('linear-gradient(-45deg, #fff 120%, rgba(0,0,0,0.5) -3%, #00000000 33.4%)')!;
  expect(gradientText(read)).toBe('linear-gradient(-45deg, #00000080 0%, #00000000 33%, #ffffff 100%)');
});

test('what is no linear gradient is none', () => {
  for (const no of [
    '',
    '#fff',
    '$primary',
    '$brandGradient:1',
    'linear-gradient(red, blue)',
    'linear-gradient(9deg, #fff 0%)',
  ])
    expect([no, readGradient(no)]).toEqual([no, undefined]);
});

test('stops are added where they change nothing, moved past others, and taken away', () => {
  const { stops } = gradientFrom('#000000');
  expect(stops.map(({ at }) => at)).toEqual([0, 100]);
  const black = [
    { color: '#000000', at: 0 },
    { color: '#ffffff', at: 100 },
  ];
  expect(colorAt(black, 50)).toBe('#808080');
  expect(colorAt(black, -5)).toBe('#000000');
  expect(colorAt(black, 200)).toBe('#ffffff');
  expect(
    colorAt(
      [
        { color: '#ff0000', at: 50 },
        { color: '#0000ff', at: 50 },
      ],
      50,
    ),
  ).toBe('#ff0000');
  const added = withStop(black, { color: '#808080', at: 50.4 });
  expect(added.index).toBe(1);
  expect(added.stops.map(({ at }) => at)).toEqual([0, 50, 100]);
  const moved = withStop(without(added.stops, 0), { color: '#000000', at: 180 });
  expect(moved.index).toBe(2);
  expect(moved.stops.map(({ color }) => color)).toEqual(['#808080', '#ffffff', '#000000']);
  expect(widestGap(added.stops)).toBe(25);
  expect(
    widestGap([
      { color: '#fff', at: 70 },
      { color: '#fff', at: 80 },
    ]),
  ).toBe(35);
});
