import { isObject } from './document/canonical';
import type { Json } from './document/operation';

export type Palette = 'light' | 'dark';

export const palettes: readonly Palette[] = ['light', 'dark'];

/** A color that has a name: what is written of it, and what it looks like. */
export type ColorToken = { value: string; name: string; css: string };

/** Colors that the theme of a flow can name, as `$primary` refers to them. */
export const tokens = [
  ['primary', 'Primary'],
  ['primaryForeground', 'On primary'],
  ['accent', 'Accent'],
  ['background', 'Background'],
  ['foreground', 'Foreground'],
] as const;

/** The color of one palette: a value that is the same for both, or that one's own. */
export function colorOf(value: Json | undefined, palette: Palette): string {
  if (typeof value === 'string') return value;
  const own = isObject(value) ? (value[palette] ?? value.light ?? value.dark) : undefined;
  return typeof own === 'string' ? own : '';
}

/** The value with another color in one palette. What was the same for both stays so. */
export function withColor(value: Json | undefined, palette: Palette, color: string): Json {
  return isObject(value) ? { ...value, [palette]: color } : color;
}

/** The colors with names: those of the theme, and those of the branding, whose colors are written as they are and whose
 * gradients, for backgrounds only, by their id. */
export function tokensOf(theme: Json | undefined, branding: unknown, gradients: boolean) {
  const named = tokens.flatMap(([name, words]): ColorToken[] => {
    const css = isObject(theme) ? theme[name] : undefined;
    return typeof css === 'string' ? [{ value: `$${name}`, name: words, css }] : [];
  });
  const colors = listIn(branding, 'colorPresets').map(({ name, value }) => ({
    ...{ name: String(name), value: String(value), css: String(value) },
  }));
  return { named, brand: gradients ? [...colors, ...gradientsOf(branding)] : colors };
}

function gradientsOf(branding: unknown): ColorToken[] {
  return listIn(branding, 'gradientPresets').map(({ id, name, type, angle = 180, stops }) => {
    const list = (Array.isArray(stops) ? stops.filter(isObject) : []).map(
      ({ color, offset }) => `${color} ${Number(offset) * 100}%`,
    );
    const css = `${type === 'radial' ? 'radial-gradient(' : `linear-gradient(${angle}deg, `}${list.join(', ')})`;
    return { value: `$brandGradient:${id}`, name: String(name), css };
  });
}

const listIn = (branding: unknown, name: string) => {
  const list = isObject(branding) ? branding[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

/** What a color looks like, whether it has a name or not; undefined where nothing is known by its name. */
export function cssOfColor(color: string, theme: Json | undefined, branding: unknown): string | undefined {
  if (!color.startsWith('$')) return color || undefined;
  const { named, brand } = tokensOf(theme, branding, true);
  return [...named, ...brand].find(({ value }) => value === color)?.css;
}

/** A color as its field shows it. */
export function nameOfColor(color: string, branding: unknown): string {
  const name = tokens.find(([one]) => color === `$${one}`)?.[1];
  return name ?? gradientsOf(branding).find(({ value }) => value === color)?.name ?? color;
}
