import type { Border, CommonStyle, Padding } from '@svc/core';
import {
  type Background,
  fadeBackground,
  resolveBackground,
  resolveColor,
  resolveShadow,
  splitOpacity,
} from '@svc/core/internal';
import type { Axis, StyleScope } from '@svc/react-core';
import type { CSSProperties } from 'react';

const FRACTION = /^(\d)\/(\d)$/;

function percent(size: string): string | undefined {
  const match = FRACTION.exec(size);
  return match ? `${Number(((Number(match[1]) / Number(match[2])) * 100).toFixed(4))}%` : undefined;
}

/** The whole of the container without the layer's own margins. */
function wholeWithout(margins: number): string {
  return margins === 0 ? '100%' : `calc(100% - ${margins}px)`;
}

function widthCss(style: CommonStyle, axis: Axis): CSSProperties {
  const { width, margin, position } = style;
  if (width === undefined) return {};
  if (typeof width === 'number') return { width, flexShrink: 0, maxWidth: '100%' };
  if (width === 'auto') return { width: 'fit-content', maxWidth: '100%' };
  if (width !== 'full') return { width: percent(width), minWidth: 0 };
  if (axis === 'horizontal' && position !== 'absolute') return { flex: '1 1 0%', minWidth: 0 };
  return { width: wholeWithout((margin?.l ?? 0) + (margin?.r ?? 0)), minWidth: 0 };
}

function heightCss(style: CommonStyle, axis: Axis): CSSProperties {
  const { height, margin, position } = style;
  if (height === undefined || height === 'auto') return {};
  if (typeof height === 'number') return { height };
  if (height !== 'full' && height !== 'fill') return { height: percent(height) };
  if (position === 'absolute') return { height: wholeWithout((margin?.t ?? 0) + (margin?.b ?? 0)) };
  return axis === 'vertical' ? { flexGrow: 1 } : { alignSelf: 'stretch' };
}

/** Width, height and their limits. Nothing in a column shrinks below its content: the screen scrolls instead. */
export function sizeCss(style: CommonStyle, axis: Axis): CSSProperties {
  const { minWidth, maxWidth, minHeight, maxHeight } = style;
  return {
    ...(axis === 'vertical' ? { flexShrink: 0 } : {}),
    ...widthCss(style, axis),
    ...heightCss(style, axis),
    ...(minWidth === undefined ? {} : { minWidth }),
    ...(maxWidth === undefined ? {} : { maxWidth }),
    ...(minHeight === undefined ? {} : { minHeight }),
    ...(maxHeight === undefined ? {} : { maxHeight }),
  };
}

/** Padding by its logical sides, so that it mirrors in right-to-left locales. */
export function paddingCss(padding: Padding | undefined): CSSProperties {
  if (!padding) return {};
  return {
    paddingTop: padding.t ?? 0,
    paddingBottom: padding.b ?? 0,
    paddingInlineStart: padding.l ?? 0,
    paddingInlineEnd: padding.r ?? 0,
  };
}

export function marginCss(margin: Padding | undefined): CSSProperties {
  if (!margin) return {};
  return {
    marginTop: margin.t ?? 0,
    marginBottom: margin.b ?? 0,
    marginInlineStart: margin.l ?? 0,
    marginInlineEnd: margin.r ?? 0,
  };
}

function positionCss({ position, inset, zIndex }: CommonStyle): CSSProperties {
  const css: CSSProperties = zIndex === undefined ? {} : { zIndex };
  if (position !== 'absolute') return css;
  css.position = 'absolute';
  if (inset?.t !== undefined) css.top = inset.t;
  if (inset?.b !== undefined) css.bottom = inset.b;
  if (inset?.l !== undefined) css.insetInlineStart = inset.l;
  if (inset?.r !== undefined) css.insetInlineEnd = inset.r;
  return css;
}

const percentText = (share: number): string => `${Math.round(share * 10000) / 100}%`;

/** CSS of something that a background field paints. */
export function backgroundCss(background: Background | undefined): CSSProperties {
  if (!background) return {};
  if (background.kind === 'color') return { backgroundColor: background.color };
  const stops = background.stops.map((stop) => `${stop.color} ${percentText(stop.offset)}`).join(', ');
  return {
    backgroundImage:
      background.kind === 'linear'
        ? `linear-gradient(${background.angle}deg, ${stops})`
        : `radial-gradient(circle, ${stops})`,
  };
}

/** Color of a border that has a width only. */
const BORDER_COLOR = { light: '#e4e4e7', dark: '#27272a' };

export function borderCss(border: Border | undefined, scope: StyleScope): CSSProperties {
  if (!border || (border.width === undefined && border.color === undefined)) return {};
  return {
    borderStyle: 'solid',
    borderWidth: border.width ?? 1,
    borderColor: resolveColor(border.color, scope.palette, scope.theme) ?? BORDER_COLOR[scope.palette],
  };
}

/** Background, border, corners and shadow: what makes a box visible. */
export function chromeCss(style: CommonStyle, scope: StyleScope): CSSProperties {
  const background = resolveBackground(style.background, scope.palette, scope.theme, scope.branding);
  const shadow = resolveShadow(style.shadow, scope.palette, scope.theme);
  return {
    ...backgroundCss(background && fadeBackground(background, splitOpacity(style).background)),
    ...borderCss(style.border, scope),
    ...(style.radius === undefined ? {} : { borderRadius: style.radius }),
    ...(shadow
      ? { boxShadow: `${shadow.offsetX}px ${shadow.offsetY}px ${shadow.blur}px ${shadow.spread}px ${shadow.color}` }
      : {}),
  };
}

/** Where a box stands and how large it is, without what it looks like. */
export function placementCss(style: CommonStyle, axis: Axis): CSSProperties {
  return {
    ...sizeCss(style, axis),
    ...marginCss(style.margin),
    ...positionCss(style),
    // The property of its own leaves `transform` to motion.
    ...(style.rotate === undefined ? {} : { rotate: `${style.rotate}deg` }),
  };
}

/** CSS of a style that every kind understands. The opacity of the whole is separate: motion multiplies it. */
export function boxCss(style: CommonStyle, axis: Axis, scope: StyleScope): CSSProperties {
  return { ...placementCss(style, axis), ...paddingCss(style.padding), ...chromeCss(style, scope) };
}

/** Opacity of the whole box. */
export function wholeOpacity(style: CommonStyle): number {
  return splitOpacity(style).whole;
}
