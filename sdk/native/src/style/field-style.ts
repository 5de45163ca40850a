import type { CommonStyle, FieldTextStyle } from '@svc/core';
import { multiplyAlpha, resolveColor } from '@svc/core/internal';
import { FIELD_COLORS, FIELD_FONT_SIZE, type FieldChrome, fieldChrome } from '@svc/react-core';
import type { TextStyle as NativeTextStyle, ViewStyle } from 'react-native';
import { chromeStyle } from './chrome';
import { paddingStyle } from './placement';
import { mergeTypography, type TextScope, type Typography, textStyle } from './text-style';

/** How strong a placeholder is beside the text that its author colored. */
const PLACEHOLDER_STRENGTH = 0.55;

export interface FieldLook {
  /** The box of the field. */
  box: ViewStyle;
  /** The words typed into it. */
  text: NativeTextStyle;
  placeholderColor: string;
  /** What the field's background paints; a gradient in it takes a view of its own. */
  chrome: CommonStyle;
}

/** The look of a field that a visitor types or taps into (manifest.md §8.4). */
export function fieldLook(field: FieldChrome, text: FieldTextStyle | undefined, scope: TextScope): FieldLook {
  const chrome = fieldChrome(field, scope.palette);
  const typography: Typography = mergeTypography({ fontSize: FIELD_FONT_SIZE }, text ?? {});
  const color = text?.color && resolveColor(text.color, scope.palette, scope.theme);
  return {
    box: { ...paddingStyle(chrome.padding), ...chromeStyle(chrome, scope) },
    text: { ...textStyle(typography, scope), ...(text?.opacity === undefined ? {} : { opacity: text.opacity }) },
    placeholderColor: color ? multiplyAlpha(color, PLACEHOLDER_STRENGTH) : FIELD_COLORS.placeholder[scope.palette],
    chrome,
  };
}
