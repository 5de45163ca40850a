/** Tolerance of "on step" (runtime.md §6). */
const STEP_TOLERANCE = 1e-6;

interface Range {
  min: number;
  max: number;
  step?: number;
}

function decimals(step: number): number {
  const text = String(step);
  const exponent = /e-(\d+)$/.exec(text);
  if (exponent) return Number(exponent[1]) + (text.split('e')[0]?.split('.')[1]?.length ?? 0);
  return text.split('.')[1]?.length ?? 0;
}

/** The value on the nearest step inside the range, without the noise of binary fractions. */
export function snapToStep(value: number, { min, max, step = 1 }: Range): number {
  const steps = Math.round((value - min) / step);
  // The last step at or below max: a range need not be a multiple of its step.
  const last = Math.floor((max - min) / step + STEP_TOLERANCE);
  const snapped = min + Math.min(Math.max(steps, 0), last) * step;
  return Number(snapped.toFixed(Math.min(Math.max(decimals(step), decimals(min)), 20)));
}

/** One press of a stepper button. */
export function stepBy(value: number, direction: 1 | -1, range: Range): number {
  return snapToStep(value + direction * (range.step ?? 1), range);
}

export function isOnStep(value: number, { min, max, step = 1 }: Range): boolean {
  if (!Number.isFinite(value) || value < min - STEP_TOLERANCE || value > max + STEP_TOLERANCE) return false;
  const steps = (value - min) / step;
  return Math.abs(steps - Math.round(steps)) * step <= STEP_TOLERANCE;
}
