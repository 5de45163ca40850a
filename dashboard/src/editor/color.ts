import { isObject } from './document/canonical';
import type { Json } from './document/operation';

/** Colors that the theme of a flow can name, as `$primary` refers to them. */
export const tokens = [
  ['primary', 'Primary'],
  ['primaryForeground', 'On primary'],
  ['accent', 'Accent'],
  ['background', 'Background'],
  ['foreground', 'Foreground'],
] as const;

/** The color of one palette: a value that is the same for both, or that one's own. */
export function colorOf(value: Json | undefined, palette: 'light' | 'dark'): string {
  if (typeof value === 'string') return value;
  const own = isObject(value) ? (value[palette] ?? value.light ?? value.dark) : undefined;
  return typeof own === 'string' ? own : '';
}

/** The value with another color in one palette. What was the same for both stays so. */
export function withColor(value: Json | undefined, palette: 'light' | 'dark', color: string): Json {
  return isObject(value) ? { ...value, [palette]: color } : color;
}

/** What a token stands for in a theme; undefined where the theme does not have it. */
export function tokenColor(color: string, theme: Json | undefined): string | undefined {
  const found = color.startsWith('$') && isObject(theme) ? theme[color.slice(1)] : undefined;
  return typeof found === 'string' ? found : undefined;
}
