/** Where screens stand on the board, and what of it is seen. All of it is numbers, and tested as such. */
export type Point = { x: number; y: number };
export type Size = { width: number; height: number };
export type Box = Point & Size;

/** A point of the board is at `point * zoom + (x, y)` of the canvas. */
export type View = Point & { zoom: number };

/** Between screens, and above them for their names, in pixels of the board. */
export const gap = { x: 72, y: 120 };

export const zooms = { least: 0.1, most: 4 };

/** Places screens in rows, so that the board is about as wide as a window. */
export function placeScreens(count: number, size: Size): Point[] {
  const across = Math.sqrt((count * 1.6 * (size.height + gap.y)) / (size.width + gap.x));
  const columns = Math.max(1, Math.min(count, Math.max(4, Math.ceil(across))));
  return Array.from({ length: count }, (_, at) => ({
    x: (at % columns) * (size.width + gap.x),
    y: Math.floor(at / columns) * (size.height + gap.y),
  }));
}

/** The smallest box around others. */
export function around(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}

/** The view that has a box of the board in the middle, as large as it gets up to its own size. */
export function fitIn(box: Box, canvas: Size, margin = 56): View {
  const across = (canvas.width - 2 * margin) / box.width;
  const down = (canvas.height - 2 * margin) / box.height;
  return center(box, canvas, limit(Math.min(1, across, down)));
}

/** The view that has a box in the middle at a zoom. */
export function center(box: Box, canvas: Size, zoom: number): View {
  return {
    zoom,
    x: (canvas.width - box.width * zoom) / 2 - box.x * zoom,
    y: (canvas.height - box.height * zoom) / 2 - box.y * zoom,
  };
}

/** Zooms so that what is at a point of the canvas stays there. */
export function zoomAt(view: View, point: Point, wanted: number): View {
  const zoom = limit(wanted);
  const share = zoom / view.zoom;
  return { zoom, x: point.x - (point.x - view.x) * share, y: point.y - (point.y - view.y) * share };
}

const limit = (zoom: number) => Math.max(zooms.least, Math.min(zooms.most, zoom));

/** A box of the board as it is on the canvas. */
export function seen({ x, y, width, height }: Box, view: View): Box {
  return {
    x: x * view.zoom + view.x,
    y: y * view.zoom + view.y,
    width: width * view.zoom,
    height: height * view.zoom,
  };
}

/** Whether a box of the board is on the canvas, or within half a canvas of it. */
export function isNear(box: Box, view: View, canvas: Size): boolean {
  const { x, y, width, height } = seen(box, view);
  const far = { x: canvas.width / 2, y: canvas.height / 2 };
  return x < canvas.width + far.x && x + width > -far.x && y < canvas.height + far.y && y + height > -far.y;
}

export const contains = ({ x, y, width, height }: Box, point: Point): boolean =>
  point.x >= x && point.x < x + width && point.y >= y && point.y < y + height;

export const touches = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Whether a box lies wholly in another. */
export const covers = (outer: Box, inner: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;
