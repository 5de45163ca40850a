import type { Border, CommonStyle } from '@svc/core';
import {
  type Background,
  fadeBackground,
  resolveBackground,
  resolveColor,
  resolveShadow,
  splitOpacity,
} from '@svc/core/internal';
import type { StyleScope } from '@svc/react-core';
import type { ViewStyle } from 'react-native';

/** Color of a border that has a width only. */
const BORDER_COLOR = { light: '#e4e4e7', dark: '#27272a' };

export function borderStyle(border: Border | undefined, { palette, theme }: StyleScope): ViewStyle {
  if (!border || (border.width === undefined && border.color === undefined)) return {};
  return {
    borderWidth: border.width ?? 1,
    borderColor: resolveColor(border.color, palette, theme) ?? BORDER_COLOR[palette],
  };
}

/** What the background of a style paints, with its own opacity. */
export function styleBackground(style: CommonStyle, scope: StyleScope): Background | undefined {
  const background = resolveBackground(style.background, scope.palette, scope.theme, scope.branding);
  return background && fadeBackground(background, splitOpacity(style).background);
}

/** A gradient that takes a view of its own. */
export type LinearGradient = Extract<Background, { kind: 'linear' }>;

export function isLinear(background: Background | undefined): background is LinearGradient {
  return background?.kind === 'linear' && background.stops.length > 1;
}

/** The linear gradient that a style has for its background, if it has one. */
export function linearGradient(style: CommonStyle, scope: StyleScope): LinearGradient | undefined {
  const background = styleBackground(style, scope);
  return isLinear(background) ? background : undefined;
}

/** Stands for a gradient without stops (manifest.md §3.4). */
const NO_STOPS = '#808080';

/** The single color of a background; undefined for a linear gradient. */
export function plainColor(background: Background | undefined): string | undefined {
  if (!background || isLinear(background)) return undefined;
  // Phones have no radial gradient: its first stop stands for it.
  return background.kind === 'color' ? background.color : (background.stops[0]?.color ?? NO_STOPS);
}

/** Color, border, corners and shadow: what makes a box visible. A linear gradient is not among them. */
export function chromeStyle(style: CommonStyle, scope: StyleScope): ViewStyle {
  const color = plainColor(styleBackground(style, scope));
  const shadow = resolveShadow(style.shadow, scope.palette, scope.theme);
  return {
    ...(color === undefined ? {} : { backgroundColor: color }),
    ...borderStyle(style.border, scope),
    ...(style.radius === undefined ? {} : { borderRadius: style.radius }),
    ...(shadow
      ? {
          boxShadow: [
            {
              offsetX: shadow.offsetX,
              offsetY: shadow.offsetY,
              blurRadius: shadow.blur,
              spreadDistance: shadow.spread,
              color: shadow.color,
            },
          ],
        }
      : {}),
  };
}
