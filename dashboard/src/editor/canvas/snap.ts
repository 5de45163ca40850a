import type { Box } from './board';

/** The distances that designs are made of: what is dragged to a distance stops at them. */
export const steps: readonly number[] = [0, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64, 80, 96];

/** The step that a distance is near to, else the distance in whole pixels. */
export function stepNear(value: number, reach: number): number {
  const nearest = steps.reduce((best, step) => (Math.abs(step - value) < Math.abs(best - value) ? step : best));
  return Math.abs(nearest - value) <= reach ? nearest : Math.max(0, Math.round(value));
}

export type Axis = 'x' | 'y';

/** A line that something was moved to, from one end to the other, along x or y. */
export type Guide = { axis: Axis; at: number; from: number; to: number };

export const sizes = { x: 'width', y: 'height' } as const;
const other = { x: 'y', y: 'x' } as const;

/** The start, the middle and the end of a box on an axis. */
export const linesOf = (box: Box, axis: Axis): [number, number, number] => {
  const size = box[sizes[axis]];
  return [box[axis], box[axis] + size / 2, box[axis] + size];
};

/** By how much lines have to move so that the nearest of them meets a line of a box, where one is within reach; else 0. */
export function snapBy(lines: readonly number[], boxes: readonly Box[], axis: Axis, reach: number): number {
  let best: number | undefined;
  for (const at of boxes.flatMap((box) => linesOf(box, axis)))
    for (const line of lines) {
      const by = at - line;
      if (Math.abs(by) <= reach && (best === undefined || Math.abs(by) < Math.abs(best))) best = by;
    }
  return best ?? 0;
}

/** The lines that some of a box's lines lie on together with those of others, each as long as all that it touches. */
export function guidesFor(box: Box, lines: readonly number[], boxes: readonly Box[], axis: Axis): Guide[] {
  const across = other[axis];
  return [...new Set(lines)].flatMap((at) => {
    const met = boxes.filter((one) => linesOf(one, axis).some((line) => Math.abs(line - at) < 0.5));
    if (met.length === 0) return [];
    const ends = [box, ...met].flatMap((one) => [linesOf(one, across)[0], linesOf(one, across)[2]]);
    return [{ axis, at, from: Math.min(...ends), to: Math.max(...ends) }];
  });
}

/** A straight way between two boxes on the canvas. */
export type Distance = { axis: Axis; at: number; from: number; to: number };

/** How far a box is from another: between them where they stand apart, else between their edges on each side. */
export function distances(box: Box, to: Box): Distance[] {
  const apart = { x: isApart(box, to, 'x'), y: isApart(box, to, 'y') };
  return (['x', 'y'] as const).flatMap((axis) => {
    const [start, , end] = linesOf(box, axis);
    const [first, , last] = linesOf(to, axis);
    const at = linesOf(box, other[axis])[1];
    const line = (from: number, end: number): Distance[] =>
      Math.abs(end - from) < 0.5 ? [] : [{ axis, at, from: Math.min(from, end), to: Math.max(from, end) }];
    if (apart[axis]) return first >= end ? line(end, first) : line(last, start);
    // Beside each other on the other axis, they have no distance on this one.
    return apart[other[axis]] ? [] : [...line(first, start), ...line(end, last)];
  });
}

function isApart(a: Box, b: Box, axis: Axis): boolean {
  const size = sizes[axis];
  return b[axis] >= a[axis] + a[size] || a[axis] >= b[axis] + b[size];
}
