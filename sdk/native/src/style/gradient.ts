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
