import type { Box } from './board';
import { type Axis, sizes } from './snap';

/** By how much each of some boxes has to move on an axis so that there is as much between any two; the outermost stay. Boxes
 * that are longer together than the room from first to last overlap by the same. */
export function spreadBy(boxes: readonly Box[], axis: Axis): number[] {
  const size = sizes[axis];
  const order = boxes
    .map((_, i) => i)
    .toSorted((a, b) => boxes[a]![axis] - boxes[b]![axis] || boxes[a]![size] - boxes[b]![size]);
  const gap = roomIn(boxes, axis) / (boxes.length - 1);
  let next = boxes[order[0]!]![axis];
  const out = boxes.map(() => 0);
  for (const i of order) {
    out[i] = next - boxes[i]![axis];
    next += boxes[i]![size] + gap;
  }
  return out;
}

/** The axis on which boxes follow each other: that with more room between them. */
export const axisOf = (boxes: readonly Box[]): Axis => (roomIn(boxes, 'x') > roomIn(boxes, 'y') ? 'x' : 'y');

/** What is left of an axis, from the first to the last of some boxes, without the boxes. */
function roomIn(boxes: readonly Box[], axis: Axis): number {
  const size = sizes[axis];
  const ends = boxes.map((box) => box[axis] + box[size]);
  const whole = Math.max(...ends) - Math.min(...boxes.map((box) => box[axis]));
  return whole - boxes.reduce((sum, box) => sum + box[size], 0);
}
