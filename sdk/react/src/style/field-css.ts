import { type CommonStyle, type FieldTextStyle, multiplyAlpha } from '@svc/core';
import type { CSSProperties } from 'react';
import { chromeCss, paddingCss, type StyleScope } from './box-css';
import { typographyCss } from './text-css';

/** Chrome of text, date, phone and address fields where the author set none (manifest.md §8.4). */
const FIELD = {
  background: { light: '#fafafa', dark: '#18181b' },
  border: { light: '#e4e4e7', dark: '#27272a' },
  placeholder: { light: '#a1a1aa', dark: '#71717a' },
};
const DEFAULT_FONT_SIZE = 14;

/** The part of a style that dresses the field itself. */
type FieldChrome = Pick<CommonStyle, 'padding' | 'radius' | 'background' | 'border' | 'shadow' | 'backgroundOpacity'>;

/** Splits a style: chrome goes to the field, the rest to the column around it. */
export function splitFieldStyle(style: CommonStyle): { field: FieldChrome; column: CommonStyle } {
  const { padding, radius, background, border, shadow, backgroundOpacity, ...column } = style;
  const field: FieldChrome = {};
  if (padding) field.padding = padding;
  if (radius !== undefined) field.radius = radius;
  if (background !== undefined) field.background = background;
  if (border) field.border = border;
  if (shadow) field.shadow = shadow;
  if (backgroundOpacity !== undefined) field.backgroundOpacity = backgroundOpacity;
  return { field, column };
}

/** CSS of a field. `--svc-placeholder` colours its placeholder. */
export function fieldCss(field: FieldChrome, text: FieldTextStyle | undefined, scope: StyleScope): CSSProperties {
  const { palette } = scope;
  const chrome: CommonStyle = {
    ...field,
    radius: field.radius ?? 10,
    background: field.background ?? FIELD.background[palette],
    border: { width: field.border?.width ?? 1, color: field.border?.color ?? FIELD.border[palette] },
  };
  const typography = typographyCss({ fontSize: DEFAULT_FONT_SIZE, ...text }, scope);
  const placeholder = text?.color && typography.color ? multiplyAlpha(typography.color, 0.55) : undefined;
  return {
    ...paddingCss(field.padding ?? { t: 10, b: 10, l: 12, r: 12 }),
    ...chromeCss(chrome, scope),
    ...typography,
    ...(text?.opacity === undefined ? {} : { opacity: text.opacity }),
    ['--svc-placeholder' as string]: placeholder ?? FIELD.placeholder[palette],
  };
}
