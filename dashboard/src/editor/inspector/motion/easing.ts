/** How a value goes from one moment to the next, by name: the two handles of its curve (manifest.md §9.3). */
export const easings = {
  linear: [0, 0, 1, 1],
  'ease-in': [0.42, 0, 1, 1],
  'ease-out': [0, 0, 0.58, 1],
  'ease-in-out': [0.42, 0, 0.58, 1],
  standard: [0.2, 0, 0, 1],
  emphasized: [0.3, 0, 0, 1],
} as const;
export type Easing = keyof typeof easings;

/** Draws a curve from the lower left to the upper right of a square. */
export function curveOf(easing: Easing, side: number): string {
  const [x1, y1, x2, y2] = easings[easing].map((value, i) => (i % 2 === 0 ? value : 1 - value) * side);
  return `M0 ${side}C${x1} ${y1} ${x2} ${y2} ${side} 0`;
}
