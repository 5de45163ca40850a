type Rect = { left: number; right: number; top: number; bottom: number };

/** What stays free around a step. */
const free = 24;

/** How far a graph moves to the left, in pixels, so that a panel at its right end covers none of the boxes. The first of
 * them stays in sight: it is not moved out for the others. */
export function shiftOff(panel: Rect, graph: Rect, boxes: readonly (Rect | undefined)[]): number {
  const [first] = boxes;
  if (!first) return 0;
  const covered = boxes.filter(
    (one): one is Rect => !!one && one.right > panel.left && one.left < graph.right && meet(one, panel),
  );
  const needed = Math.max(0, ...covered.map(({ right }) => right + free - panel.left));
  return Math.max(0, Math.min(needed, first.left - free - graph.left));
}

const meet = (one: Rect, other: Rect) => one.top < other.bottom && one.bottom > other.top;
