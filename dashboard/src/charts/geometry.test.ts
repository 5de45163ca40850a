import { expect, test } from 'vitest';
import { areaOf, labeled, lineOf, notesOf, runsOf, splitAtRunning, ticksTo } from './geometry';

test.each([
  [0, [0, 1]],
  [1, [0, 0.5, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2.5, 5, 7.5]],
  [1000, [0, 500, 1000]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [123_456, [0, 50_000, 100_000, 150_000]],
])('the axis to %s has the ticks %j', (max, ticks) => {
  expect(ticksTo(max)).toEqual(ticks);
});

test('ticks always reach the greatest value', () => {
  for (let i = 1; i < 3000; i++) {
    const ticks = ticksTo(i * 0.37);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(i * 0.37 * (1 - 1e-9));
    expect(ticks.length).toBeLessThanOrEqual(4);
  }
});

test('a value that is missing breaks the line', () => {
  expect(runsOf([1, 2, null, 3])).toEqual([
    [0, 1],
    [3, 3],
  ]);
  expect(
    lineOf(
      [1, 2, null, 3],
      (i) => i * 10,
      (v) => -v,
    ),
  ).toBe('M0,-1L10,-2M30,-3h0.01');
  expect(
    areaOf(
      [1, 2, null, 3],
      (i) => i * 10,
      (v) => -v,
    ),
  ).toBe('M0,-1L10,-2L10,0L0,0Z');
});

test('what is still growing begins at the last final point', () => {
  expect(splitAtRunning([1, 2, 3], 2)).toEqual({ final: [1, 2, null], growing: [null, 2, 3] });
  expect(splitAtRunning([1, 2], undefined).final).toEqual([1, 2]);
  expect(splitAtRunning([5], 0)).toEqual({ final: [null], growing: [5] });
});

test('labels have room', () => {
  expect(labeled(7, 700, 80)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labeled(30, 600, 60)).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
});

test('what happened stands at its bucket, and nothing beside the chart', () => {
  const buckets = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
  const at = (time: string, text: string) => ({ at: `2026-01-${time}:00Z`, text });
  const notes = notesOf(
    buckets,
    [
      at('02T23:59', 'd'),
      at('01T12:00', 'b'),
      at('01T00:00', 'a'),
      at('03T00:00', 'after'),
      { at: '2025-12-31T23:59:59Z', text: 'before' },
    ],
    '2026-02-01T00:00:00Z',
  );
  expect([...notes]).toEqual([
    [0, ['a', 'b']],
    [1, ['d']],
  ]);
  const many = notesOf(
    buckets,
    Array.from({ length: 9 }, (_, i) => at('01T00:00', `${i}`)),
    '2026-02-01T00:00:00Z',
  );
  expect(many.get(0)).toEqual(['0', '1', '2', '3', '4', '4 more changes']);
});
