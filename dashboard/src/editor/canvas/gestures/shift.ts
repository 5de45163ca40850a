import { label } from '../../document/words';
import type { Handled } from '../handled';
import { insetFor } from '../inset';
import { reach } from '../resize';
import { guidesFor, linesOf, snapBy } from '../snap';
import type { Gesture, Pointer, Stage } from './gesture';
import { follow, neighbors } from './handle';

/** A layer that stands free goes with the pointer; with ⇧ along one axis. Its edges and its middle stop at those of what
 * is beside it and around it. */
export function shift(stage: Stage, start: Pointer, handled: Handled): Gesture {
  const { box } = handled;
  const boxes = neighbors(stage, handled);
  const name = `Move ${label(stage.editor.document, handled.id)}`;
  return follow(stage, start, name, handled, ({ point, shift }) => {
    const by = { x: point.x - start.point.x, y: point.y - start.point.y };
    if (shift) by[Math.abs(by.x) > Math.abs(by.y) ? 'y' : 'x'] = 0;
    const to = { ...box, x: box.x + by.x, y: box.y + by.y };
    for (const axis of ['x', 'y'] as const) {
      if (shift && by[axis] === 0) continue;
      const snapped = snapBy(linesOf(to, axis), boxes[axis], axis, reach);
      by[axis] += snapped;
      to[axis] += snapped;
    }
    const guides = (['x', 'y'] as const).flatMap((axis) => guidesFor(to, linesOf(to, axis), boxes[axis], axis));
    const { zoom } = stage;
    const inset = insetFor(handled, { l: by.x / zoom, r: by.x / zoom, t: by.y / zoom, b: by.y / zoom }, zoom);
    const [x, y] = [(to.x - handled.around.x) / zoom, (to.y - handled.around.y) / zoom].map(Math.round);
    return { set: [[['style', 'inset'], inset]], says: `${x}, ${y}`, guides };
  });
}
