import type { CommonStyle, Padding } from '@svc/core';
import type { DimensionValue, ViewStyle } from 'react-native';
import type { Surround } from './surround';

const FRACTION = /^(\d)\/(\d)$/;

function percent(size: string): DimensionValue | undefined {
  const match = FRACTION.exec(size);
  return match ? `${Number(((Number(match[1]) / Number(match[2])) * 100).toFixed(4))}%` : undefined;
}

function widthStyle(style: CommonStyle, { axis, align, hugs }: Surround): ViewStyle {
  const { width, margin, position, maxWidth } = style;
  const free = position === 'absolute';
  if (width === undefined) return {};
  if (typeof width === 'number') return { width, flexShrink: 0, maxWidth: '100%' };
  // There is no width that hugs: a box hugs where nothing stretches it.
  if (width === 'auto') return axis === 'vertical' && align === 'stretch' && !free ? { alignSelf: 'flex-start' } : {};
  if (width !== 'full') return { width: percent(width), minWidth: 0 };
  if (free) return { start: style.inset?.l ?? 0, end: style.inset?.r ?? 0 };
  // A row that hugs has to know how wide its words are; nothing else of its width is there to be shared.
  if (axis === 'horizontal') return { flexGrow: 1, flexShrink: 1, flexBasis: hugs ? 'auto' : 0, minWidth: 0 };
  // A percentage would leave no room for the margins; stretching does, but it cannot be centred within a limit.
  const margins = (margin?.l ?? 0) + (margin?.r ?? 0);
  return margins > 0 && maxWidth === undefined ? { alignSelf: 'stretch' } : { width: '100%', minWidth: 0 };
}

function heightStyle(style: CommonStyle, { axis }: Surround): ViewStyle {
  const { height, position, inset } = style;
  if (height === undefined || height === 'auto') return {};
  if (typeof height === 'number') return { height };
  if (height !== 'full' && height !== 'fill') return { height: percent(height) };
  if (position === 'absolute') return { top: inset?.t ?? 0, bottom: inset?.b ?? 0 };
  return axis === 'vertical' ? { flexGrow: 1 } : { alignSelf: 'stretch' };
}

/** Width, height and their limits. Nothing in a column shrinks below its content: the screen scrolls instead. */
export function sizeStyle(style: CommonStyle, surround: Surround): ViewStyle {
  const { minWidth, maxWidth, minHeight, maxHeight } = style;
  return {
    flexShrink: surround.axis === 'vertical' ? 0 : 1,
    ...widthStyle(style, surround),
    ...heightStyle(style, surround),
    ...(minWidth === undefined ? {} : { minWidth }),
    ...(maxWidth === undefined ? {} : { maxWidth }),
    ...(minHeight === undefined ? {} : { minHeight }),
    ...(maxHeight === undefined ? {} : { maxHeight }),
  };
}

/** Padding by its logical sides, so that it mirrors in right-to-left locales. */
export function paddingStyle(padding: Padding | undefined): ViewStyle {
  if (!padding) return {};
  return {
    paddingTop: padding.t ?? 0,
    paddingBottom: padding.b ?? 0,
    paddingStart: padding.l ?? 0,
    paddingEnd: padding.r ?? 0,
  };
}

export function marginStyle(margin: Padding | undefined): ViewStyle {
  if (!margin) return {};
  return {
    marginTop: margin.t ?? 0,
    marginBottom: margin.b ?? 0,
    marginStart: margin.l ?? 0,
    marginEnd: margin.r ?? 0,
  };
}

function positionStyle({ position, inset, zIndex }: CommonStyle): ViewStyle {
  const placed: ViewStyle = zIndex === undefined ? {} : { zIndex };
  if (position !== 'absolute') return placed;
  placed.position = 'absolute';
  if (inset?.t !== undefined) placed.top = inset.t;
  if (inset?.b !== undefined) placed.bottom = inset.b;
  if (inset?.l !== undefined) placed.start = inset.l;
  if (inset?.r !== undefined) placed.end = inset.r;
  return placed;
}

/** Where a box stands and how large it is, without what it looks like. Its rotation belongs to its motion. */
export function placementStyle(style: CommonStyle, surround: Surround): ViewStyle {
  return { ...sizeStyle(style, surround), ...marginStyle(style.margin), ...positionStyle(style) };
}
