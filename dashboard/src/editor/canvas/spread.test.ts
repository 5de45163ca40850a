import { expect, test } from 'vitest';
import { Random } from '../document/TestRandom';
import { axisOf, spreadBy } from './spread';

const box = (x: number, y: number, width = 10, height = 10) => ({ x, y, width, height });

test('as much is between any two boxes of any size, in their order, and the outermost stay', () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(seed);
    const boxes = Array.from({ length: 3 + random.below(5) }, () =>
      box(random.below(300), random.below(300), 1 + random.below(40), 1 + random.below(40)),
    );
    const by = spreadBy(boxes, 'x');
    const after = boxes
      .map((one, i) => ({ ...one, was: one.x, x: one.x + by[i]! }))
      .toSorted((a, b) => a.was - b.was || a.width - b.width);
    const gaps = after.slice(1).map((one, i) => one.x - after[i]!.x - after[i]!.width);
    for (const gap of gaps) expect(gap).toBeCloseTo(gaps[0]!, 6);
    expect(after[0]!.x).toBe(after[0]!.was);
    const end = Math.max(...boxes.map(({ x, width }) => x + width));
    expect(after.at(-1)!.x + after.at(-1)!.width).toBeCloseTo(end, 6);
  }
});

test('boxes without room between them overlap by the same', () => {
  expect(spreadBy([box(0, 0, 100), box(10, 0, 100), box(40, 0, 100)], 'x')).toEqual([0, 10, 0]);
});

test('the axis is that on which they follow each other', () => {
  expect(axisOf([box(0, 0), box(50, 5), box(90, 0)])).toBe('x');
  expect(axisOf([box(0, 0), box(5, 50), box(0, 90)])).toBe('y');
});
