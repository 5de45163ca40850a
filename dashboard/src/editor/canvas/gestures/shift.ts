import { fewToSpread } from '../../document/commands/distribute';
import { labels } from '../../document/words';
import { around, type Point } from '../board';
import type { Handled } from '../handled';
import { insetFor, within } from '../inset';
import { reach } from '../resize';
import { type Axis, guidesFor, linesOf, snapBy } from '../snap';
import { axisOf, spreadBy } from '../spread';
import type { Gesture, Pointer, Stage } from './gesture';
import { type Dragged, follow, neighbors, write } from './handle';

/** Layers that stand free go with the pointer, all by the same; with ⇧ along one axis. The edges and the middle of the box
 * around them stop at those of what is beside them and around them. */
export function shift(stage: Stage, start: Pointer, layers: readonly Handled[]): Gesture {
  const { editor, zoom } = stage;
  const box = around(layers.map((one) => one.box));
  const outer = around(layers.map((one) => one.around));
  const boxes = neighbors(stage, layers);
  const ids = layers.map(({ id }) => id);
  return follow(stage, start, `Move ${labels(editor.document, ids)}`, ({ point, shift }) => {
    const by = { x: point.x - start.point.x, y: point.y - start.point.y };
    if (shift) by[Math.abs(by.x) > Math.abs(by.y) ? 'y' : 'x'] = 0;
    const to = { ...box };
    for (const axis of ['x', 'y'] as const) {
      const lines = linesOf({ ...box, [axis]: box[axis] + by[axis] }, axis);
      if (!shift || by[axis] !== 0) by[axis] += snapBy(lines, boxes[axis], axis, reach);
      by[axis] = within(layers, axis, by[axis] / zoom, zoom) * zoom;
      to[axis] += by[axis];
    }
    const guides = (['x', 'y'] as const).flatMap((axis) => guidesFor(to, linesOf(to, axis), boxes[axis], axis));
    return {
      set: moved(layers, by, zoom),
      says: [to.x - outer.x, to.y - outer.y].map((one) => Math.round(one / zoom)).join(', '),
      guides,
    };
  });
}

/** The layers that are selected where all of them stand free; else none. */
export function freeOf(stage: Stage): readonly Handled[] {
  const { nodes } = stage.editor.selection;
  const free = nodes.flatMap((id) => stage.handled(id) ?? []).filter((one) => one.free);
  return free.length === nodes.length ? free : [];
}

/** Moves layers that stand free by pixels of the screen. All that comes one after the other is one undo. */
export function nudge(stage: Stage, layers: readonly Handled[], { x, y }: Point) {
  const { editor, zoom } = stage;
  const by = { x: within(layers, 'x', x, zoom) * zoom, y: within(layers, 'y', y, zoom) * zoom };
  const ids = layers.map(({ id }) => id);
  write(stage, `Move ${labels(editor.document, ids)}`, moved(layers, by, zoom), `nudge ${ids}`);
}

/** Puts as much between any two of the selected layers, which stand free, on an axis or on that on which they follow each
 * other: the outermost stay. Returns true, or why not, in words. */
export function spread(stage: Stage, axis?: Axis): true | string {
  const { editor, zoom } = stage;
  const layers = freeOf(stage);
  if (layers.length < 3) return fewToSpread;
  const boxes = layers.map(({ box }) => box);
  const along = axis ?? axisOf(boxes);
  const by = spreadBy(boxes, along);
  if (by.every((one) => Math.abs(one / zoom) < 1)) return 'These layers are distributed already';
  const ids = layers.map(({ id }) => id);
  const set = layers.flatMap((one, i) => moved([one], { x: 0, y: 0, [along]: by[i]! }, zoom));
  write(stage, `Distribute ${labels(editor.document, ids)}`, set, undefined);
  return true;
}

/** Layers after they went by pixels of the canvas. */
function moved(layers: readonly Handled[], by: Point, zoom: number): Dragged['set'] {
  const [x, y] = [by.x / zoom, by.y / zoom];
  return layers.map((one) => [one, ['style', 'inset'], insetFor(one, { l: x, r: x, t: y, b: y }, zoom)]);
}
