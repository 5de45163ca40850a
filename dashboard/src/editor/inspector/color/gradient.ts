import { resolveBackground } from '@svc/core/internal';
import { hexOf, hsvOf, readColor } from './hsv';

/** The color is as hex; the position in percent. */
export type Stop = { color: string; at: number };

export type Gradient = { angle: number; stops: readonly Stop[] };

/** Reads a linear gradient as the SDKs do; undefined for what is none. */
export function readGradient(text: string): Gradient | undefined {
  const read = text.startsWith('$') ? undefined : resolveBackground(text, 'light', undefined, undefined);
  if (read?.kind !== 'linear') return undefined;
  const stops = read.stops.map(({ color, offset }) => {
    const parts = readColor(color);
    return { color: parts ? hexOf(hsvOf(parts)) : '#808080', at: limited(offset * 100) };
  });
  return { angle: read.angle, stops: sorted(stops) };
}

/** Writes a gradient as every renderer reads it. */
export const gradientText = ({ angle, stops }: Gradient) =>
  `linear-gradient(${angle}deg, ${stops.map(({ color, at }) => `${color} ${at}%`).join(', ')})`;

/** A gradient from a color to another of the neighboring hue. */
export function gradientFrom(color: string): Gradient {
  const hsv = hsvOf(readColor(color) ?? readColor('#4353d9')!);
  const [h, v] = [(hsv.h + 40) % 360, hsv.v < 0.6 ? hsv.v + 0.25 : hsv.v - 0.15];
  return {
    angle: 180,
    stops: [
      { color: hexOf(hsv), at: 0 },
      { color: hexOf({ ...hsv, h, v }), at: 100 },
    ],
  };
}

const limited = (at: number) => Math.round(Math.min(100, Math.max(0, at)));

const sorted = (stops: readonly Stop[]) => stops.toSorted((a, b) => a.at - b.at);

/** What a gradient shows at a position. */
export function colorAt(stops: readonly Stop[], at: number): string {
  const after = stops.findIndex((stop) => stop.at >= at);
  if (after <= 0) return stops.at(after)!.color;
  const [a, b] = [stops[after - 1]!, stops[after]!];
  const [from, to] = [readColor(a.color)!, readColor(b.color)!];
  const share = (at - a.at) / (b.at - a.at);
  const mix = (name: keyof typeof from) => from[name] + (to[name] - from[name]) * share;
  return hexOf(hsvOf({ r: mix('r'), g: mix('g'), b: mix('b'), a: mix('a') }));
}

/** The middle of the widest gap between two stops. */
export function widestGap(stops: readonly Stop[]): number {
  const places = [0, ...stops.map(({ at }) => at), 100];
  const gaps = places.slice(1).map((at, i) => ({ width: at - places[i]!, middle: (at + places[i]!) / 2 }));
  return gaps.reduce((widest, gap) => (gap.width > widest.width ? gap : widest)).middle;
}

/** Puts a stop among others; `index` is where it is then. */
export function withStop(others: readonly Stop[], { color, at }: Stop): { stops: Stop[]; index: number } {
  const stop = { color, at: limited(at) };
  const stops = sorted([...others, stop]);
  return { stops, index: stops.indexOf(stop) };
}

export const without = (stops: readonly Stop[], index: number) => stops.filter((_, i) => i !== index);
