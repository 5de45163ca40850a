import type { Branding, GradientPreset } from '../api/types';
import type { CommonStyle, Theme, ThemedBackground } from '../manifest/types';
import { multiplyAlpha, type Palette, parseColor, resolveColor } from './color';

export interface GradientStop {
  color: string;
  /** 0 to 1. */
  offset: number;
}

/** What a background-like field paints. */
export type Background =
  | { kind: 'color'; color: string }
  | { kind: 'linear'; angle: number; stops: GradientStop[] }
  | { kind: 'radial'; stops: GradientStop[] };

const BRAND_GRADIENT = '$brandGradient:';
const LINEAR = /^linear-gradient\(\s*(-?[\d.]+)deg\s*,(.*)\)$/is;
const STOP = /^(#[\da-f]{3,8}|rgba?\([^)]*\))\s+(-?[\d.]+)%$/i;
const FIRST_HEX = /#[\da-f]{3,8}\b/i;
/** Stands for a gradient that cannot be read and names no color. */
const UNREADABLE_GRADIENT = '#808080';
/** Degrees of a preset without an angle: top to bottom. */
const DEFAULT_GRADIENT_ANGLE = 180;

function presetBackground(preset: GradientPreset): Background {
  const stops = preset.stops.map(({ offset, color }) => ({ offset, color }));
  return preset.type === 'radial'
    ? { kind: 'radial', stops }
    : { kind: 'linear', angle: preset.angle ?? DEFAULT_GRADIENT_ANGLE, stops };
}

/** Splits at commas outside parentheses. */
function splitStops(text: string): string[] {
  return text.split(/,(?![^(]*\))/).map((part) => part.trim());
}

function parseLinear(text: string): Background {
  const match = LINEAR.exec(text.trim());
  const stops = match ? splitStops(match[2] ?? '').map((part) => STOP.exec(part)) : [];
  if (!match || stops.length < 2 || stops.some((stop) => stop === null)) {
    return { kind: 'color', color: FIRST_HEX.exec(text)?.[0] ?? UNREADABLE_GRADIENT };
  }
  return {
    kind: 'linear',
    angle: Number(match[1]),
    stops: stops.map((stop) => ({ color: stop?.[1] ?? '', offset: Number(stop?.[2]) / 100 })),
  };
}

/** What a background-like field paints (manifest.md §3.4); undefined for nothing. */
export function resolveBackground(
  value: ThemedBackground | undefined,
  palette: Palette,
  theme: Theme | undefined,
  branding: Branding | undefined,
): Background | undefined {
  const text = resolveColor(value, palette, theme);
  if (text === undefined) return undefined;
  if (text.startsWith(BRAND_GRADIENT)) {
    const id = text.slice(BRAND_GRADIENT.length).toLowerCase();
    const preset = branding?.gradientPresets.find((candidate) => candidate.id.toLowerCase() === id);
    return preset && presetBackground(preset);
  }
  if (/^linear-gradient\(/i.test(text.trim())) return parseLinear(text);
  return { kind: 'color', color: text };
}

/** A background with the alpha of all its colors multiplied. */
export function fadeBackground(background: Background, factor: number): Background {
  if (background.kind === 'color') return { kind: 'color', color: multiplyAlpha(background.color, factor) };
  const stops = background.stops.map((stop) => ({ ...stop, color: multiplyAlpha(stop.color, factor) }));
  return { ...background, stops };
}

/**
 * Splits the opacity of a style: `backgroundOpacity` touches the background alone; without it, an opacity beside a
 * background is an old way of saying the same (manifest.md §3.3).
 */
export function splitOpacity(style: Pick<CommonStyle, 'background' | 'opacity' | 'backgroundOpacity'>): {
  whole: number;
  background: number;
} {
  const { background, opacity, backgroundOpacity } = style;
  if (backgroundOpacity !== undefined) return { whole: opacity ?? 1, background: backgroundOpacity };
  if (background !== undefined && opacity !== undefined) return { whole: 1, background: opacity };
  return { whole: opacity ?? 1, background: 1 };
}

/** Whether a resolved background lets what is behind it through entirely. */
export function isTransparent(background: Background | undefined): boolean {
  if (!background) return true;
  if (background.kind !== 'color') return false;
  return background.color.trim().toLowerCase() === 'transparent' || parseColor(background.color)?.a === 0;
}
