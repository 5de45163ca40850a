import type { FieldTextStyle } from '@svc/core';
import { multiplyAlpha } from '@svc/core/internal';
import { FIELD_COLORS, FIELD_FONT_SIZE, type FieldChrome, fieldChrome, type StyleScope } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { chromeCss, paddingCss } from './box-css';
import { typographyCss } from './text-css';

/** CSS of a field. `--svc-placeholder` colors its placeholder, `--svc-problem` its frame while it does not pass. */
export function fieldCss(field: FieldChrome, text: FieldTextStyle | undefined, scope: StyleScope): CSSProperties {
  const { palette } = scope;
  const chrome = fieldChrome(field, palette);
  const typography = typographyCss({ fontSize: FIELD_FONT_SIZE, ...text }, scope);
  const placeholder = text?.color && typography.color ? multiplyAlpha(typography.color, 0.55) : undefined;
  return {
    ...paddingCss(chrome.padding),
    ...chromeCss(chrome, scope),
    ...typography,
    ...(text?.opacity === undefined ? {} : { opacity: text.opacity }),
    ['--svc-placeholder' as string]: placeholder ?? FIELD_COLORS.placeholder[palette],
    ['--svc-problem' as string]: FIELD_COLORS.problem[palette],
  };
}
