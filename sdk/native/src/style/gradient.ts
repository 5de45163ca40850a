import { type GradientStop, parseColor } from '@svc/core/internal';

/** A point of a box; 0 to 1 along its sides, from the top left. */
export interface Point {
  x: number;
  y: number;
}

/** Where a gradient of this angle begins and ends (manifest.md §3.4): 0° points up, 90° to the right. */
export function gradientVector(degrees: number): { start: Point; end: Point } {
  const radians = (degrees * Math.PI) / 180;
  const x = Math.sin(radians) / 2;
  const y = -Math.cos(radians) / 2;
  return { start: { x: 0.5 - x, y: 0.5 - y }, end: { x: 0.5 + x, y: 0.5 + y } };
}

/** Stands for a gradient without a color that can be read (manifest.md §3.4). */
const UNREADABLE = '#808080';

/** The one color that comes closest to a gradient: the mean of its stops, else the first as it is written. */
export function meanColor(stops: readonly GradientStop[]): string {
  const colors = stops.flatMap(({ color }) => parseColor(color) ?? []);
  if (colors.length === 0) return stops[0]?.color ?? UNREADABLE;
  const mean = (part: (color: (typeof colors)[number]) => number) =>
    colors.reduce((sum, color) => sum + part(color), 0) / colors.length;
  const [r, g, b] = [mean((c) => c.r), mean((c) => c.g), mean((c) => c.b)].map(Math.round);
  return `rgba(${r}, ${g}, ${b}, ${mean((c) => c.a)})`;
}
