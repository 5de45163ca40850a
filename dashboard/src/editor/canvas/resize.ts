import type { Json } from '../document/operation';
import type { Layout, Side, Sides } from './handles';
import { stepNear } from './snap';

/** How near to a size with a name, in pixels of the canvas, something has to be to get it. */
export const reach = 5;

export type Axis = 'width' | 'height';

/** What a size can be besides pixels, in pixels of the canvas: as large as what is in it, or a part of what is around. */
export type Names = { hug: number | undefined; whole: number | undefined };

const shares: readonly [word: string, share: number][] = [
  ['full', 1],
  ['3/4', 3 / 4],
  ['2/3', 2 / 3],
  ['1/2', 1 / 2],
  ['1/3', 1 / 3],
  ['1/4', 1 / 4],
];

/** The value of a size that something was dragged to: a word where it is near to what that means, else pixels; and in how
 * many pixels of a screen it comes to. */
export function sizeFor(size: number, { hug, whole }: Names, zoom: number): { value: Json; pixels: number } {
  if (whole !== undefined) {
    const share = shares.find(([, part]) => Math.abs(whole * part - size) <= reach);
    if (share) return { value: share[0], pixels: (whole * share[1]) / zoom };
  }
  if (hug !== undefined && Math.abs(hug - size) <= reach) return { value: 'auto', pixels: hug / zoom };
  const pixels = Math.max(1, Math.min(2000, Math.round(size / zoom)));
  return { value: pixels, pixels };
}

/** A size in words: which of the four ways it is. */
export function sayOf(value: Json | undefined, pixels: number): string {
  const px = Math.round(pixels);
  if (value === 'auto') return `Hug ${px}`;
  if (value === 'full' || value === 'fill') return `Fill ${px}`;
  return typeof value === 'string' ? `${value}, ${px}` : `Fixed ${px}`;
}

const opposite: Record<Side, Side> = { t: 'b', b: 't', l: 'r', r: 'l' };

/** The padding after one of its sides was dragged by some pixels; with ⌥ the opposite side follows, with ⇧ too all do. */
export function paddingFor(
  { padding, rightToLeft }: Layout,
  side: Side,
  by: number,
  { alt, shift }: { alt: boolean; shift: boolean },
): { value: Sides; to: number } {
  const to = stepNear(padding[side] + by, 1.5);
  const seen = { ...padding, [side]: to };
  if (alt) seen[opposite[side]] = to;
  if (alt && shift) seen.t = seen.r = seen.b = seen.l = to;
  const { t, r, b, l } = seen;
  const rounded = { t, r: rightToLeft ? l : r, b, l: rightToLeft ? r : l };
  return {
    value: { t: Math.round(rounded.t), r: Math.round(rounded.r), b: Math.round(rounded.b), l: Math.round(rounded.l) },
    to,
  };
}
