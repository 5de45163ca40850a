import type { CheckboxGlyphStyle, CheckboxLayer } from '@svc/core';
import { mergeStyle } from '@svc/core/internal';

/** Default glyph (manifest.md §8.3). */
const UNCHECKED: CheckboxGlyphStyle = {
  size: 18,
  radius: 4,
  border: { width: 2, color: { light: '#71717a', dark: '#a1a1aa' } },
};
const CHECKED: CheckboxGlyphStyle = {
  background: { light: '#18181b', dark: '#e4e4e7' },
  border: { color: { light: '#18181b', dark: '#e4e4e7' } },
  checkColor: { light: '#ffffff', dark: '#18181b' },
};

/** Style of the glyph: the checked one lies over the unchecked one. */
export function glyphStyle(layer: CheckboxLayer, checked: boolean): CheckboxGlyphStyle {
  const unchecked = mergeStyle(UNCHECKED, layer.uncheckedStyle);
  return checked ? mergeStyle(mergeStyle(unchecked, CHECKED), layer.checkedStyle) : unchecked;
}
