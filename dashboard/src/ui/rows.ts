/** A row that is drawn, and where it begins and ends, in pixels below the first. */
export type Place = { index: number; start: number; end: number };

/** Where each row begins, by its height; behind the last of them the height of all. */
export function startsOf(count: number, heightOf: (index: number) => number): number[] {
  const starts = [0];
  for (let index = 0; index < count; index++) starts.push(starts[index]! + heightOf(index));
  return starts;
}

/** Which rows are between two heights, with some around them: the first, and the one behind the last. */
export function between(starts: readonly number[], top: number, bottom: number, around: number): [number, number] {
  const count = starts.length - 1;
  const first = Math.min(count, Math.max(0, before(starts, top)) - around);
  return [Math.max(0, first), Math.max(0, Math.min(count, before(starts, bottom) + 1 + around))];
}

/** The last row that begins at a height or above it; -1 for none. */
function before(starts: readonly number[], height: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= height) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
