import { expect, test } from 'vitest';
import { Random } from '../document/TestRandom';
import type { Box } from './board';
import { distances, guidesFor, linesOf, snapBy, stepNear, steps } from './snap';

const random = new Random(5);
const randomBox = (): Box => ({
  x: random.below(200),
  y: random.below(200),
  width: 1 + random.below(80),
  height: 1 + random.below(80),
});

/** Tries every shift of half a pixel within reach, the smallest first. */
function naive(lines: readonly number[], boxes: readonly Box[], axis: 'x' | 'y', reach: number): number {
  for (let far = 0; far <= reach; far += 0.5)
    for (const by of [far, -far])
      if (lines.some((line) => boxes.some((box) => linesOf(box, axis).includes(line + by)))) return far;
  return 0;
}

test('the nearest line within reach is met, as trying every shift finds it', () => {
  for (let run = 0; run < 500; run++) {
    const boxes = Array.from({ length: random.below(5) }, randomBox);
    const own = randomBox();
    for (const axis of ['x', 'y'] as const) {
      const by = snapBy(linesOf(own, axis), boxes, axis, 6);
      expect({ run, axis, by: Math.abs(by) }).toEqual({ run, axis, by: naive(linesOf(own, axis), boxes, axis, 6) });
      const moved = { ...own, [axis]: own[axis] + by };
      if (by !== 0) expect(guidesFor(moved, linesOf(moved, axis), boxes, axis).length).toBeGreaterThan(0);
    }
  }
});

test('a guide is as long as all that lies on it', () => {
  const a = { x: 10, y: 0, width: 20, height: 10 };
  const b = { x: 10, y: 100, width: 50, height: 30 };
  expect(guidesFor(a, [10, 30], [b], 'x')).toEqual([{ axis: 'x', at: 10, from: 0, to: 130 }]);
});

test('a distance is told between boxes that stand apart, and on each side of one that is inside', () => {
  const box = { x: 10, y: 20, width: 30, height: 10 };
  const said = (to: Box) => distances(box, to).map(({ axis, from, to }) => [axis, from, to]);
  expect(said({ x: 60, y: 0, width: 10, height: 100 })).toEqual([['x', 40, 60]]);
  expect(said({ x: 0, y: 40, width: 100, height: 10 })).toEqual([['y', 30, 40]]);
  expect(said({ x: 60, y: 50, width: 10, height: 10 })).toEqual([
    ['x', 40, 60],
    ['y', 30, 50],
  ]);
  expect(said({ x: 0, y: 0, width: 100, height: 60 })).toEqual([
    ['x', 0, 10],
    ['x', 40, 100],
    ['y', 0, 20],
    ['y', 30, 60],
  ]);
});

test('distances between two boxes are as long whichever of them is selected', () => {
  const long = (a: Box, b: Box) =>
    distances(a, b)
      .map(({ axis, from, to }) => `${axis} ${to - from}`)
      .sort();
  for (let run = 0; run < 300; run++) {
    const [a, b] = [randomBox(), randomBox()];
    expect([run, long(a, b)]).toEqual([run, long(b, a)]);
  }
});

test('a distance stops at the step that it is near to', () => {
  expect(stepNear(14.6, 2)).toBe(16);
  expect(stepNear(27.4, 2)).toBe(27);
  expect(stepNear(-9, 2)).toBe(0);
  for (const step of steps) expect(stepNear(step + 0.9, 1)).toBe(step);
});
