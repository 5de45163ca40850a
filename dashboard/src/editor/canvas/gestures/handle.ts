import { heldAt, pathAt } from '../../breakpoints';
import type { Json, NodeId } from '../../document/operation';
import { label } from '../../document/words';
import type { Box } from '../board';
import type { Handled } from '../handled';
import type { Handle } from '../handles';
import { insetFor } from '../inset';
import { type Axis, paddingFor, reach, sayOf, sizeFor } from '../resize';
import { type Guide, guidesFor, snapBy, stepNear } from '../snap';
import type { Gesture, Pointer, Stage } from './gesture';

/** From how many pixels on a press is a drag. */
const slack = 2;

/** What a drag makes of layers: their properties by path, in words, and the lines that they keep to. */
export type Dragged = {
  set: readonly [layer: Handled, path: readonly string[], value: Json][];
  says: string;
  guides: readonly Guide[];
};

const verbs = { size: 'Resize', padding: 'Change the padding of', gap: 'Change the gap of', radius: 'Round' } as const;

/** A handle of the selected layer is dragged: its value follows the pointer. All of it is one undo, and Escape gives back
 * what was before. */
export function handle(stage: Stage, start: Pointer, handled: Handled, grabbed: Handle): Gesture {
  const boxes = neighbors(stage, [handled]);
  const drag = (pointer: Pointer) => dragged(stage, handled, grabbed, start, pointer, boxes);
  return follow(stage, start, `${verbs[grabbed.is]} ${label(stage.editor.document, handled.id)}`, drag, grabbed);
}

/** Sets properties of layers from the width on that is edited. */
export function write({ editor, breakpoint }: Stage, name: string, set: Dragged['set'], gesture: string | undefined) {
  const operations = set.map(([{ id, kind }, path, value]) => {
    const own = (breakpoint && pathAt(kind, path, breakpoint)) ?? path;
    return { op: 'set', node: id, path: own, value } as const;
  });
  editor.runStep({ name, operations }, { gesture });
}

/** Makes the sides that a handle is of as large as what is in them; false where they are already. */
export function hug(stage: Stage, handled: Handled, { x, y }: Handle & { is: 'size' }): boolean {
  const { box, has, names, object, kind } = handled;
  const sides = (['width', 'height'] as const).filter((length) => {
    const own = heldAt(object, kind, ['style', length], stage.breakpoint);
    const { hug = box[length] } = names[length];
    const hugs = own === undefined ? Math.abs(hug - box[length]) < 1 : own === 'auto';
    return has[length] && (length === 'width' ? x : y) !== 0 && !hugs;
  });
  const name = `${verbs.size} ${label(stage.editor.document, handled.id)}`;
  if (sides.length > 0)
    write(
      stage,
      name,
      sides.map((length) => [handled, ['style', length], 'auto']),
      undefined,
    );
  return sides.length > 0;
}

/** Writes what a drag makes of layers at each move of the pointer. */
export function follow(
  stage: Stage,
  start: Pointer,
  name: string,
  drag: (pointer: Pointer) => Dragged,
  grabbed?: Handle,
): Gesture {
  const { editor } = stage;
  const gesture = editor.newId('drag');
  let last: Pointer = start;
  const at = (pointer: Pointer): Gesture => {
    last = pointer;
    const { set, says, guides } = drag(pointer);
    write(stage, name, set, gesture);
    return {
      marks: { ...(grabbed && { handle: grabbed }), said: { at: pointer.point, text: says }, guides },
      move: at,
      keys: (keys) => at({ ...last, ...keys }),
      up: () => editor.endGesture(),
      cancel: () => editor.giveBack(gesture),
    };
  };
  const waiting: Gesture = {
    marks: grabbed ? { handle: grabbed } : {},
    move: (pointer) =>
      Math.hypot(pointer.point.x - start.point.x, pointer.point.y - start.point.y) < slack ? waiting : at(pointer),
    up: () => {},
  };
  return waiting;
}

/** The boxes that the edges of layers may stop at, by axis: what follows them would move along. */
export function neighbors({ editor, boxes }: Stage, layers: readonly Handled[]): { x: Box[]; y: Box[] } {
  const { screen } = editor.selection;
  const parentOf = (id: NodeId) => editor.document.parents.get(id)?.parent;
  const parents = layers.map(({ id }) => parentOf(id));
  const all = screen === null ? [] : boxes(screen);
  const own = all.filter(({ id }) => parents.includes(id));
  const beside = all.filter(({ id }) => parents.includes(parentOf(id)) && layers.every((one) => one.id !== id));
  const { across, free } = layers[0]!;
  return { x: free || !across ? [...own, ...beside] : own, y: free || across ? [...own, ...beside] : own };
}

function dragged(
  { zoom }: Stage,
  handled: Handled,
  grabbed: Handle,
  start: Pointer,
  pointer: Pointer,
  boxes: { x: Box[]; y: Box[] },
): Dragged {
  const { layout, object } = handled;
  const set = (path: readonly string[], value: Json): Dragged['set'] => [[handled, path, value]];
  const by = { x: (pointer.point.x - start.point.x) / zoom, y: (pointer.point.y - start.point.y) / zoom };
  switch (grabbed.is) {
    case 'size':
      return resized(handled, grabbed, start, pointer, boxes, zoom);
    case 'padding': {
      const inward = { t: by.y, b: -by.y, l: by.x, r: -by.x }[grabbed.side];
      const { value, to } = paddingFor(layout, grabbed.side, inward, pointer);
      return { set: set(['style', 'padding'], value), says: `Padding ${to}`, guides: [] };
    }
    case 'gap': {
      const gap = typeof object.gap === 'number' ? object.gap : 0;
      const to = stepNear(gap + (grabbed.across ? (layout.rightToLeft ? -by.x : by.x) : by.y), 1.5);
      return { set: set(['gap'], to), says: `Gap ${to}`, guides: [] };
    }
    case 'radius': {
      const to = Math.min(96, stepNear(layout.radius + (by.x + by.y) / 2, 1));
      return { set: set(['style', 'radius'], to), says: `Corners ${to}`, guides: [] };
    }
  }
}

/** A layer whose edge or corner is dragged. With ⌥ the opposite edge goes the other way, with ⇧ its shape stays. */
function resized(
  handled: Handled,
  { x, y }: Handle & { is: 'size' },
  start: Pointer,
  { point, alt, shift }: Pointer,
  boxes: { x: Box[]; y: Box[] },
  zoom: number,
): Dragged {
  const { box, has, names, free } = handled;
  const times = alt ? 2 : 1;
  const size = {
    width: box.width + (point.x - start.point.x) * x * times,
    height: box.height + (point.y - start.point.y) * y * times,
  };
  if (shift) {
    const [wider, higher] = [size.width / box.width, size.height / box.height];
    const scale = x === 0 || (y !== 0 && Math.abs(higher - 1) > Math.abs(wider - 1)) ? higher : wider;
    Object.assign(size, { width: box.width * scale, height: box.height * scale });
  }
  const edge = (length: 'width' | 'height') => {
    const [axis, end] = length === 'width' ? (['x', x] as const) : (['y', y] as const);
    const grown = (size[length] - box[length]) / times;
    return end > 0 ? box[axis] + box[length] + grown : box[axis] - grown;
  };
  const guides = (['width', 'height'] as const).flatMap((length) => {
    const [axis, end] = length === 'width' ? (['x', x] as const) : (['y', y] as const);
    if (end === 0 || shift) return [];
    size[length] += snapBy([edge(length)], boxes[axis], axis, reach) * end * times;
    return guidesFor(box, [edge(length)], boxes[axis], axis);
  });
  const changes = (['width', 'height'] as const).filter(
    (length: Axis) => has[length] && (shift || (length === 'width' ? x : y) !== 0),
  );
  const came = changes.map((length) => {
    const words = shift || free ? { hug: undefined, whole: undefined } : names[length];
    return { length, ...sizeFor(Math.max(1, size[length]), words, zoom) };
  });
  const set = came.map(({ length, value }): Dragged['set'][number] => [handled, ['style', length], value]);
  const says = came.map(({ value, pixels }) => sayOf(value, pixels)).join(' × ');
  if (!free) return { set, says, guides };
  const [wider, higher] = [(size.width - box.width) / zoom, (size.height - box.height) / zoom];
  const share = (end: number, is: -1 | 1) => (alt ? is / 2 : end === is || (end === 0 && is === 1) ? is : 0);
  const by = { l: wider * share(x, -1), r: wider * share(x, 1), t: higher * share(y, -1), b: higher * share(y, 1) };
  return { set: [...set, [handled, ['style', 'inset'], insetFor(handled, by, zoom)]], says, guides };
}
