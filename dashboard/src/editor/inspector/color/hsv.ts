import { parseColor } from '@svc/core/internal';

/** Red, green and blue from 0 to 255, alpha from 0 to 1. */
export type Rgba = NonNullable<ReturnType<typeof parseColor>>;

/** Hue in degrees; saturation, value and alpha from 0 to 1. */
export type Hsv = { h: number; s: number; v: number; a: number };

const named = new Map([
  ['white', '#fff'],
  ['black', '#000'],
  ['transparent', '#00000000'],
]);

/** Reads what the SDKs understand, and three names; undefined for anything else. */
export function readColor(text: string): Rgba | undefined {
  return parseColor(named.get(text.trim().toLowerCase()) ?? text) ?? undefined;
}

export function hsvOf({ r, g, b, a }: Rgba): Hsv {
  const max = Math.max(r, g, b);
  const range = max - Math.min(r, g, b);
  const sector = range === 0 ? 0 : max === r ? (g - b) / range : max === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return { h: ((sector + 6) % 6) * 60, s: max === 0 ? 0 : range / max, v: max / 255, a };
}

/** Writes #rrggbb, or #rrggbbaa for what is not opaque. */
export function hexOf({ h, s, v, a }: Hsv): string {
  const part = (from: number) => {
    const sector = (from + h / 60) % 6;
    return v - v * s * Math.max(0, Math.min(sector, 4 - sector, 1));
  };
  const digits = [part(5), part(3), part(1), a].map((one) =>
    Math.round(Math.min(1, one) * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${(digits[3] === 'ff' ? digits.slice(0, 3) : digits).join('')}`;
}

/** What somebody typed as #rrggbb, with or without the sign; undefined for what is no color. */
export function hexTyped(typed: string): string | undefined {
  const text = typed.trim();
  const read = readColor(/^([\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i.test(text) ? `#${text}` : text);
  return read && hexOf(hsvOf(read));
}
