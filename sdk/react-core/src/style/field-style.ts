import type { CommonStyle } from '@svc/core';
import type { Palette } from '@svc/core/internal';

/** Chrome of text, date, phone and address fields where the author set none (manifest.md §8.4). */
export const FIELD_COLORS = {
  background: { light: '#fafafa', dark: '#18181b' },
  border: { light: '#e4e4e7', dark: '#27272a' },
  placeholder: { light: '#a1a1aa', dark: '#71717a' },
  problem: { light: '#b91c1c', dark: '#f87171' },
};
export const FIELD_FONT_SIZE = 14;

/** The part of a style that dresses the field itself. */
export type FieldChrome = Pick<
  CommonStyle,
  'padding' | 'radius' | 'background' | 'border' | 'shadow' | 'backgroundOpacity'
>;

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

/** The field's chrome with what its author left open. */
export function fieldChrome(field: FieldChrome, palette: Palette): CommonStyle {
  return {
    ...field,
    padding: field.padding ?? { t: 10, b: 10, l: 12, r: 12 },
    radius: field.radius ?? 10,
    background: field.background ?? FIELD_COLORS.background[palette],
    border: {
      width: field.border?.width ?? 1,
      color: field.border?.color ?? FIELD_COLORS.border[palette],
    },
  };
}
