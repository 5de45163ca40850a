import type { FieldTextStyle, TextAlign } from '@svc/core';
import {
  DEFAULT_FOREGROUND,
  findFontFamily,
  fontFileForWeight,
  fontFiles,
  fontRegistrationName,
  logicalFontFamily,
  resolveColor,
} from '@svc/core/internal';
import type { StyleScope } from '@svc/react-core';
import { type TextStyle as NativeTextStyle, Platform } from 'react-native';

/** What words are drawn with when nobody said otherwise. */
export const BASE_FONT_SIZE = 16;

/** The part of a style that is about words; boxes hand it down to the words in them. */
export type Typography = Pick<
  FieldTextStyle,
  'fontFamily' | 'fontSize' | 'fontWeight' | 'color' | 'align' | 'lineHeight' | 'letterSpacing'
>;

/** What fonts and directions are looked up in. */
export interface TextScope extends StyleScope {
  mediaMap: Readonly<Record<string, string>>;
  direction: 'ltr' | 'rtl';
  /** BCP 47. */
  locale: string;
  /** Whether the system knows the uploaded fonts by now; until then its own stands in for them. */
  fontsReady: boolean;
}

/** The typography of a style over what it inherits; fields that it leaves out stay. */
export function mergeTypography(inherited: Typography, style: Typography): Typography {
  const { fontFamily, fontSize, fontWeight, color, align, lineHeight, letterSpacing } = style;
  return {
    ...inherited,
    ...(fontFamily === undefined ? {} : { fontFamily }),
    ...(fontSize === undefined ? {} : { fontSize }),
    ...(fontWeight === undefined ? {} : { fontWeight }),
    ...(color === undefined ? {} : { color }),
    ...(align === undefined ? {} : { align }),
    ...(lineHeight === undefined ? {} : { lineHeight }),
    ...(letterSpacing === undefined ? {} : { letterSpacing }),
  };
}

const REGULAR = 400;
/** Weights that React Native takes: hundreds. */
type Weight = '100' | '200' | '300' | '400' | '500' | '600' | '700' | '800' | '900';

function hundreds(weight: number): Weight {
  return String(Math.min(9, Math.max(1, Math.round(weight / 100))) * 100) as Weight;
}

/**
 * The font of a logical family and a weight. Every uploaded file is a family of its own to the system, so its name
 * carries the weight already; asking for it once more would make systems look for a file that is not there.
 */
export function fontStyle(
  family: string | undefined,
  weight: number | undefined,
  scope: Pick<TextScope, 'theme' | 'branding' | 'mediaMap' | 'fontsReady'>,
): NativeTextStyle {
  const name = logicalFontFamily(family, scope.theme);
  const plain: NativeTextStyle = weight === undefined ? {} : { fontWeight: hundreds(weight) };
  if (name === null) return plain;
  const uploaded = findFontFamily(scope.branding, name);
  const file = uploaded && fontFileForWeight(fontFiles(uploaded, scope.mediaMap), weight ?? REGULAR);
  if (file) return scope.fontsReady ? { fontFamily: fontRegistrationName(file.styleId) } : plain;
  // Browsers take a stack of families, phones one: a stack names the best one first.
  if (Platform.OS === 'web') return { ...plain, fontFamily: name };
  return { ...plain, fontFamily: (name.split(',')[0] ?? name).trim().replace(/^["']|["']$/g, '') };
}

/**
 * Left and right follow the reading direction, as paddings do. Phones understand them so themselves, where the layout
 * runs from right to left; a browser means the sides of the screen.
 */
function alignment(align: TextAlign, direction: 'ltr' | 'rtl'): 'left' | 'center' | 'right' {
  if (align === 'center' || Platform.OS !== 'web' || direction === 'ltr') return align;
  return align === 'left' ? 'right' : 'left';
}

/** Languages whose letters are joined: spacing would pull words apart. The web's stylesheet names the same ones. */
const JOINED = /^(ar|ckb|fa|ps|ur)(-|$)/i;

/** The style of words. Complete: React Native hands nothing down from box to box. */
export function textStyle(typography: Typography, scope: TextScope): NativeTextStyle {
  const { fontFamily, fontSize = BASE_FONT_SIZE, fontWeight, align, lineHeight } = typography;
  const letterSpacing = JOINED.test(scope.locale) ? undefined : typography.letterSpacing;
  return {
    ...fontStyle(fontFamily, fontWeight, scope),
    fontSize,
    color: resolveColor(typography.color, scope.palette, scope.theme) ?? DEFAULT_FOREGROUND[scope.palette],
    textAlign: alignment(align ?? 'left', scope.direction),
    writingDirection: scope.direction,
    // Android keeps room for accents that no line has, which moves words off their middle.
    includeFontPadding: false,
    ...(lineHeight === undefined ? {} : { lineHeight: Math.round(lineHeight * fontSize * 100) / 100 }),
    ...(letterSpacing === undefined ? {} : { letterSpacing: Math.round(letterSpacing * fontSize * 100) / 100 }),
  };
}
