import type { Branding, FieldTextStyle, TextAlign, TextStyle } from '@svc/core';
import { findFontFamily, fontFiles, logicalFontFamily, resolveColor } from '@svc/core/internal';
import type { StyleScope } from '@svc/react-core';
import type { CSSProperties } from 'react';

export const SYSTEM_FONT_STACK = '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';

/** CSS string of a name: quotes, backslashes and line ends can't break out of it. */
function cssString(text: string): string {
  return `"${text.replace(/["\\\n\r\f<]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;
}

/** The `font-family` of a logical family; a name with a comma is a stack already (manifest.md §3.7). */
export function fontStack(family: string | null): string {
  if (family === null) return SYSTEM_FONT_STACK;
  return family.includes(',') ? family : `${cssString(family)}, ${SYSTEM_FONT_STACK}`;
}

/** Left and right follow the text direction, as paddings do. */
const TEXT_ALIGN: Readonly<Record<TextAlign, CSSProperties['textAlign']>> = {
  left: 'start',
  center: 'center',
  right: 'end',
};

/** Typography of a style; absent fields inherit. */
export function typographyCss(style: TextStyle | FieldTextStyle, scope: StyleScope): CSSProperties {
  const { fontFamily, fontSize, fontWeight, align, lineHeight, letterSpacing } = style;
  const color = resolveColor(style.color, scope.palette, scope.theme);
  return {
    ...(fontFamily === undefined ? {} : { fontFamily: fontStack(logicalFontFamily(fontFamily, scope.theme)) }),
    ...(fontSize === undefined ? {} : { fontSize }),
    ...(fontWeight === undefined ? {} : { fontWeight }),
    ...(color === undefined ? {} : { color }),
    ...(align === undefined ? {} : { textAlign: TEXT_ALIGN[align] }),
    ...(lineHeight === undefined ? {} : { lineHeight }),
    ...(letterSpacing === undefined ? {} : { letterSpacing: `${letterSpacing}em` }),
  };
}

/** `@font-face` rules of the uploaded families that are asked for. */
export function fontFaceRules(
  families: Iterable<string>,
  branding: Branding | undefined,
  mediaMap: Readonly<Record<string, string>>,
): string {
  const rules: string[] = [];
  for (const name of new Set(families)) {
    const family = findFontFamily(branding, name);
    for (const file of family ? fontFiles(family, mediaMap) : []) {
      const style = file.italic ? 'italic' : 'normal';
      rules.push(
        `@font-face{font-family:${cssString(name)};font-weight:${file.weight};font-style:${style};` +
          `font-display:swap;src:url(${cssString(file.url)})}`,
      );
    }
  }
  return rules.join('\n');
}
