import type { Position } from './model';

/** A soft line to the right through points; those that do not lie between its ends are passed by. */
export function curve(from: Position, through: readonly Position[], to: Position): string {
  const margin = 12;
  let at = from;
  let path = `M${round(from.x)},${round(from.y)}`;
  for (const point of [...through.filter(({ x }) => x > from.x + margin && x < to.x - margin), to]) {
    const middle = round((at.x + point.x) / 2);
    path += `C${middle},${round(at.y)} ${middle},${round(point.y)} ${round(point.x)},${round(point.y)}`;
    at = point;
  }
  return path;
}

const round = (value: number) => Math.round(value * 10) / 10;
