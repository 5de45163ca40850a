import type { Background } from '@svc/core/internal';
import { hexOf, hsvOf, type Rgba, readColor } from './hsv';

/** The color that is seen where one is painted on an opaque one. */
export function over({ r, g, b, a }: Rgba, below: Rgba): Rgba {
  const mix = (top: number, bottom: number) => top * a + bottom * (1 - a);
  return { r: mix(r, below.r), g: mix(g, below.g), b: mix(b, below.b), a: 1 };
}

function luminance({ r, g, b }: Rgba): number {
  const [red, green, blue] = [r, g, b].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of WCAG 2 of two opaque colors, from 1 to 21. */
export function contrast(one: Rgba, other: Rgba): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The least contrast between any of the colors and any of those behind them. */
export const worst = (colors: readonly Rgba[], behind: readonly Rgba[]) =>
  Math.min(...colors.flatMap((color) => behind.map((below) => contrast(over(color, below), below))));

/** A ratio as it is said. It is cut, not rounded: 4.49 is not enough. */
export const ratioInWords = (ratio: number) => (Math.floor(ratio * 10) / 10).toFixed(1);

/** Steps between two stops: where a gradient leads from darker to lighter than a text, the worst is between them. */
const between = 8;

/** The colors of a background, those between its stops too; undefined for what can't be read. */
export function colorsOf(background: Background): Rgba[] | undefined {
  if (background.kind === 'color') {
    const one = readColor(background.color);
    return one && [one];
  }
  const stops = background.stops.map(({ color }) => readColor(color));
  if (!stops.every((one) => one !== undefined)) return undefined;
  return stops.flatMap((stop, i) => {
    const next = stops[i + 1];
    if (!next) return [stop];
    const mix = (name: keyof Rgba, step: number) => stop[name] + ((next[name] - stop[name]) * step) / between;
    return Array.from({ length: between }, (_, step) => ({
      r: mix('r', step),
      g: mix('g', step),
      b: mix('b', step),
      a: mix('a', step),
    }));
  });
}

/** The nearest lighter or darker color of the same hue that has a contrast with all that is behind it. */
export function readable(color: Rgba, behind: readonly Rgba[], needed: number): string | undefined {
  const { h, s, v } = hsvOf(color);
  for (let step = 0.01; step <= 1; step += 0.01)
    for (const hsv of [
      { h, s, v: v * (1 - step), a: 1 },
      { h, s: s * (1 - step), v: v + (1 - v) * step, a: 1 },
    ]) {
      const hex = hexOf(hsv);
      if (worst([readColor(hex)!], behind) >= needed) return hex;
    }
  return undefined;
}
