import { type Box, contains, type Point } from './board';

/** An element of a layer as it is on the canvas. */
export type LayerBox = Box & { id: string };

/** The layers around a point, the outermost first. Boxes come in the order of the document: what stands later is above. */
export function layersAt(
  boxes: readonly LayerBox[],
  point: Point,
  parentOf: (id: string) => string | undefined,
): string[] {
  const deepest = boxes.findLast((box) => contains(box, point));
  if (!deepest) return [];
  const known = new Set(boxes.map(({ id }) => id));
  const path: string[] = [];
  for (let at: string | undefined = deepest.id; at !== undefined; at = parentOf(at))
    if (known.has(at)) path.unshift(at);
  return path;
}

/** Which layer a click selects: the deepest that stands beside the selected one or beside something around that, so that
 * a click does not leave the group that somebody works in. With nothing of the region selected it is the outermost layer
 * that is not the region's own stack. `selected` is a path as well, and ends with the selected layer. */
export function clicked(path: readonly string[], selected: readonly string[]): string | undefined {
  const around = new Set(selected.slice(0, -1));
  const container = path.findLastIndex((id, at) => at < path.length - 1 && around.has(id));
  return path[Math.max(container, 0) + 1] ?? path[0];
}

/** Which layer a double click goes to: the one inside the selected one, towards the point. */
export function deeper(path: readonly string[], selected: string | undefined): string | undefined {
  const at = selected === undefined ? -1 : path.indexOf(selected);
  return path[Math.min(at + 1, path.length - 1)];
}
