import { own } from '../flow/record';
import type { Theme, ThemedColor } from '../manifest/types';

/** Which half of a themed color shows. */
export type Palette = 'light' | 'dark';

/** One value per palette. */
export type PaletteValue = Readonly<Record<Palette, string>>;

export const DEFAULT_FOREGROUND: PaletteValue = { light: '#000000', dark: '#ffffff' };
export const DEFAULT_SCREEN_COLOR: PaletteValue = { light: '#ffffff', dark: '#0a0a0a' };
export const DEFAULT_TRACK_COLOR: PaletteValue = { light: '#e4e4e7', dark: '#3f3f46' };
export const DEFAULT_FILL_COLOR: PaletteValue = { light: '#0a0a0a', dark: '#fafafa' };
export const MEDIA_PLACEHOLDER_COLOR: PaletteValue = { light: '#f4f4f5', dark: '#18181b' };

/**
 * The color of a palette: a missing side falls back to the other, `$name` is looked up in the theme and left as it
 * is when the theme has no such string (manifest.md §3.3).
 */
export function resolveColor(
  color: ThemedColor | undefined,
  palette: Palette,
  theme: Theme | undefined,
): string | undefined {
  if (color === undefined) return undefined;
  const picked = typeof color === 'string' ? color : (color[palette] ?? color[palette === 'dark' ? 'light' : 'dark']);
  if (!picked?.startsWith('$')) return picked;
  const named: unknown = own(theme as Record<string, unknown> | undefined, picked.slice(1));
  return typeof named === 'string' ? named : picked;
}

interface Rgba {
  r: number;
  g: number;
  b: number;
  a: number;
}

/** Parts of `#RGB`, `#RRGGBB`, `#RRGGBBAA`, `rgb()` or `rgba()`; null for anything else. */
export function parseColor(color: string): Rgba | null {
  const text = color.trim();
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(text);
  if (short) {
    const [r, g, b] = short.slice(1).map((digit) => Number.parseInt(digit + digit, 16)) as [number, number, number];
    return { r, g, b, a: 1 };
  }
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})([\da-f]{2})?$/i.exec(text);
  if (long) {
    const [r, g, b] = long.slice(1, 4).map((digits) => Number.parseInt(digits, 16)) as [number, number, number];
    return { r, g, b, a: long[4] ? Number.parseInt(long[4], 16) / 255 : 1 };
  }
  const call = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)(?:[\s,/]+([\d.]+)(%)?)?\s*\)$/i.exec(text);
  if (!call) return null;
  const alpha = call[4] === undefined ? 1 : Number(call[4]) / (call[5] ? 100 : 1);
  return { r: Number(call[1]), g: Number(call[2]), b: Number(call[3]), a: Math.min(1, alpha) };
}

/** The color with its alpha multiplied; unchanged for a factor of 1 and for notations that are not understood. */
export function multiplyAlpha(color: string, factor: number): string {
  if (factor >= 1) return color;
  const parts = parseColor(color);
  if (factor <= 0) return 'rgba(0, 0, 0, 0)';
  if (!parts) return color;
  const alpha = Number((parts.a * factor).toFixed(4));
  return `rgba(${parts.r}, ${parts.g}, ${parts.b}, ${alpha})`;
}
