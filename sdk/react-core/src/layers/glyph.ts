import type { IconStyle } from '@svc/core';

const DEFAULT_GLYPH = 24;
const MIN_GLYPH = 8;
/** Icons that say back or forward. */
const POINTS_SIDEWAYS = /^(arrow|chevron|caret)-(back|forward)/;

/** Side of the glyph in px (manifest.md §6.7). */
export function glyphSize({ width, height }: Pick<IconStyle, 'width' | 'height'>): number {
  const sides = [width, height].filter((side): side is number => typeof side === 'number');
  if (sides.length === 0) return DEFAULT_GLYPH;
  return sides.length === 2 ? Math.max(MIN_GLYPH, Math.min(...sides)) : (sides[0] ?? DEFAULT_GLYPH);
}

/** Whether an icon turns around with the reading direction. */
export function turnsAround(iconName: string, direction: 'ltr' | 'rtl'): boolean {
  return direction === 'rtl' && POINTS_SIDEWAYS.test(iconName);
}
