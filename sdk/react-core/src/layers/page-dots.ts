import type { Border, PageControl } from '@svc/core';
import { resolveColor } from '@svc/core/internal';
import type { StyleScope } from '../style/scope';

const DOT_SIZE = 6;
const DOT_COLOR = '#52525b';
const ACTIVE_DOT_COLOR = '#fafafa';

/** One dot below or above a carousel; lengths in px. */
export interface Dot {
  width: number;
  height: number;
  radius: number;
  color: string;
  opacity: number;
  border: Border | undefined;
}

/** Room between dots in px. */
export function dotSpacing(control: PageControl): number {
  return control.spacing ?? DOT_SIZE;
}

/** Looks of the dot of the slide that is shown, and of the others (manifest.md §6.12). */
export function dotLook(control: PageControl, active: boolean, { palette, theme }: StyleScope): Dot {
  const { width = DOT_SIZE, height = DOT_SIZE, activeWidth, activeHeight, ...look } = control.indicators ?? {};
  const color = active
    ? (resolveColor(look.activeColor, palette, theme) ?? ACTIVE_DOT_COLOR)
    : (resolveColor(look.defaultColor, palette, theme) ?? DOT_COLOR);
  const tall = active ? (activeHeight ?? height) : height;
  return {
    width: active ? (activeWidth ?? width) : width,
    height: tall,
    radius: Math.max(tall, 1),
    color,
    opacity: (active ? look.activeOpacity : look.defaultOpacity) ?? 1,
    border: active ? (look.activeBorder ?? look.border) : look.border,
  };
}
