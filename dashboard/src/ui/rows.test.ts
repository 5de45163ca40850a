import { expect, test } from 'vitest';
import { between, startsOf } from './rows';

/** A row after the other, as they stand below each other. */
function naive(heights: readonly number[], top: number, bottom: number, around: number): number[] {
  const touched: number[] = [];
  let start = 0;
  heights.forEach((height, index) => {
    if (start <= bottom && start + height > top) touched.push(index);
    start += height;
  });
  const first = touched[0] ?? heights.length;
  const last = touched.at(-1) ?? heights.length - 1;
  return heights.map((_, index) => index).filter((index) => index >= first - around && index <= last + around);
}

test('rows in sight are those that a walk over all finds', () => {
  let seed = 7;
  const below = (most: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % most;
  };
  for (let run = 0; run < 500; run++) {
    const heights = Array.from({ length: below(40) }, () => 1 + below(90));
    const starts = startsOf(heights.length, (index) => heights[index]!);
    const top = below(starts.at(-1)! + 200);
    const bottom = top + below(300);
    const around = below(4);
    const [first, end] = between(starts, top, bottom, around);
    const found = heights.map((_, index) => index).filter((index) => index >= first && index < end);
    expect({ run, found }).toEqual({ run, found: naive(heights, top, bottom, around) });
  }
});

test('without rows there are none in sight', () =>
  expect(
    between(
      startsOf(0, () => 9),
      0,
      600,
      12,
    ),
  ).toEqual([0, 0]));
