import type { ThemedColor } from '@svc/core';
import { DEFAULT_FILL_COLOR, DEFAULT_TRACK_COLOR, resolveColor } from '@svc/core/internal';
import type { StyleScope } from './scope';

/** Color of the empty part of a bar. */
export function trackColor(color: ThemedColor | undefined, { palette, theme }: StyleScope): string {
  return resolveColor(color, palette, theme) ?? DEFAULT_TRACK_COLOR[palette];
}

/** Color of the full part of a bar. */
export function fillColor(color: ThemedColor | undefined, { palette, theme }: StyleScope): string {
  return resolveColor(color, palette, theme) ?? theme?.primary ?? DEFAULT_FILL_COLOR[palette];
}
