import type { Shadow, Theme } from '../manifest/types';
import { multiplyAlpha, type Palette, resolveColor } from './color';

export interface ResolvedShadow {
  /** px */
  offsetX: number;
  offsetY: number;
  blur: number;
  spread: number;
  /** With the shadow's opacity in its alpha. */
  color: string;
}

/** A shadow with its defaults filled in; undefined when no field is set (manifest.md §3.4). */
export function resolveShadow(
  shadow: Shadow | undefined,
  palette: Palette,
  theme: Theme | undefined,
): ResolvedShadow | undefined {
  if (!shadow || Object.values(shadow).every((value) => value === undefined)) return undefined;
  const color = resolveColor(shadow.color, palette, theme) ?? '#000000';
  return {
    offsetX: shadow.offsetX ?? 0,
    offsetY: shadow.offsetY ?? 2,
    blur: shadow.blur ?? 8,
    spread: shadow.spread ?? 0,
    color: multiplyAlpha(color, shadow.opacity ?? 0.25),
  };
}
