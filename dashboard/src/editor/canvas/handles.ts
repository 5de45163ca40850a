import { type Box, contains, type Point } from './board';

export type Side = 't' | 'r' | 'b' | 'l';
export type Sides = Record<Side, number>;

/** How the element of a layer is laid out, in its own pixels; sides are those that are seen. */
export type Layout = {
  padding: Sides;
  radius: number;
  /** How high and wide what is in it is, with its padding. */
  hug: { width: number; height: number };
  /** Whether what is in it stands beside each other. */
  across: boolean;
  rightToLeft: boolean;
};

/** Which of the properties that have handles a layer has. */
export type Has = { width: boolean; height: boolean; padding: boolean; gap: boolean; radius: boolean };

/** What can be dragged: an edge or a corner (-1 is before, 1 behind), a distance to what is inside or between it, or how
 * round its corners are. `box` is where on the canvas it is. */
export type Handle = { box: Box } & (
  | { is: 'size'; x: -1 | 0 | 1; y: -1 | 0 | 1 }
  | { is: 'padding'; side: Side }
  | { is: 'gap'; across: boolean }
  | { is: 'radius' }
);

const ends = [-1, 0, 1] as const;

/** Lists the handles of a box of the canvas, those on top first. `inside` are the boxes in it that follow each other. */
export function handlesOf(box: Box, layout: Layout, inside: readonly Box[], has: Has, zoom: number): Handle[] {
  const least = Math.min(box.width, box.height);
  return [
    ...(has.radius && least >= 40 ? [radiusHandle(box, layout, zoom)] : []),
    ...sizeHandles(box, has),
    ...(has.padding && least >= 28 ? paddingHandles(box, layout, zoom) : []),
    ...(has.gap ? gapHandles(inside, layout.across) : []),
  ];
}

/** A box around a point. */
const spot = ({ x, y }: Point, width: number, height = width): Box => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});

function sizeHandles(box: Box, has: Has): Handle[] {
  const { x, y, width, height } = box;
  const all = ends.flatMap((down) => ends.map((across) => ({ across, down })));
  const made = all.flatMap(({ across, down }): Handle[] => {
    if ((across === 0 && down === 0) || (across !== 0 && !has.width) || (down !== 0 && !has.height)) return [];
    const at = { x: x + (width * (across + 1)) / 2, y: y + (height * (down + 1)) / 2 };
    // Along a whole edge, but for its corners.
    const wide = across === 0 ? Math.max(4, width - 10) : 8;
    const high = down === 0 ? Math.max(4, height - 10) : 8;
    return [{ is: 'size', x: across, y: down, box: across !== 0 && down !== 0 ? spot(at, 10) : spot(at, wide, high) }];
  });
  const isCorner = (one: Handle) => one.is === 'size' && one.x !== 0 && one.y !== 0;
  return [...made.filter(isCorner), ...made.filter((one) => !isCorner(one))];
}

function radiusHandle(box: Box, { radius }: Layout, zoom: number): Handle {
  const far = Math.max(12, Math.min(radius * zoom, Math.min(box.width, box.height) / 2));
  return { is: 'radius', box: spot({ x: box.x + far, y: box.y + far }, 12) };
}

function paddingHandles(box: Box, { padding }: Layout, zoom: number): Handle[] {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const far = (side: Side) => Math.max(9, (padding[side] * zoom) / 2);
  return [
    { is: 'padding', side: 't', box: spot({ x: middle.x, y: box.y + far('t') }, 24, 10) },
    { is: 'padding', side: 'b', box: spot({ x: middle.x, y: box.y + box.height - far('b') }, 24, 10) },
    { is: 'padding', side: 'l', box: spot({ x: box.x + far('l'), y: middle.y }, 10, 24) },
    { is: 'padding', side: 'r', box: spot({ x: box.x + box.width - far('r'), y: middle.y }, 10, 24) },
  ];
}

/** More of them than are seen at once are of no use. */
const mostGaps = 24;

function gapHandles(inside: readonly Box[], across: boolean): Handle[] {
  const [at, size] = across ? (['x', 'width'] as const) : (['y', 'height'] as const);
  const sorted = inside.toSorted((a, b) => a[at] - b[at]);
  return sorted.slice(1, mostGaps).flatMap((next, i): Handle[] => {
    const last = sorted[i]!;
    const end = last[at] + last[size];
    // Those of another row overlap.
    if (next[at] < end - 1) return [];
    const middle = (end + next[at]) / 2;
    const center = across ? { x: middle, y: last.y + last.height / 2 } : { x: last.x + last.width / 2, y: middle };
    return [{ is: 'gap', across, box: across ? spot(center, 8, 24) : spot(center, 24, 8) }];
  });
}

/** The handle at a point, the one on top. */
export const handleAt = (handles: readonly Handle[], point: Point): Handle | undefined =>
  handles.find(({ box }) => contains(box, point));

/** What the pointer looks like over a handle. */
export function cursorOf(handle: Handle): string {
  if (handle.is === 'radius') return 'nwse-resize';
  if (handle.is === 'padding') return /[tb]/.test(handle.side) ? 'ns-resize' : 'ew-resize';
  if (handle.is === 'gap') return handle.across ? 'ew-resize' : 'ns-resize';
  if (handle.x === 0) return 'ns-resize';
  if (handle.y === 0) return 'ew-resize';
  return handle.x === handle.y ? 'nwse-resize' : 'nesw-resize';
}
