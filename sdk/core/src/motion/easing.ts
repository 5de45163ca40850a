import type { Easing } from '../manifest/types';

type Bezier = readonly [number, number, number, number];

/** Control points of the named curves (manifest.md §9.3). */
export const EASING_CURVES: Readonly<Record<Easing, Bezier>> = {
  linear: [0, 0, 1, 1],
  'ease-in': [0.42, 0, 1, 1],
  'ease-out': [0, 0, 0.58, 1],
  'ease-in-out': [0.42, 0, 0.58, 1],
  standard: [0.2, 0, 0, 1],
  emphasized: [0.3, 0, 0, 1],
};

/** Halvings of the search for the curve's parameter: more than a double can tell apart on a screen. */
const BISECTIONS = 24;

function coordinate(a: number, b: number, s: number): number {
  const rest = 1 - s;
  return 3 * rest * rest * s * a + 3 * rest * s * s * b + s * s * s;
}

/** Progress of a curve at `x`, both 0 to 1. */
export function ease(easing: Easing | undefined, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const [x1, y1, x2, y2] = EASING_CURVES[easing ?? 'linear'] ?? EASING_CURVES.linear;
  if (x1 === y1 && x2 === y2) return x;
  let low = 0;
  let high = 1;
  for (let i = 0; i < BISECTIONS; i += 1) {
    const middle = (low + high) / 2;
    if (coordinate(x1, x2, middle) < x) low = middle;
    else high = middle;
  }
  return coordinate(y1, y2, (low + high) / 2);
}
