import type { FieldTextStyle } from '@svc/core';
import { useRender } from '@svc/react-core';
import { createContext, useContext } from 'react';
import type { TextStyle as NativeTextStyle } from 'react-native';
import { mergeTypography, type TextScope, type Typography, textStyle } from '../style/text-style';
import { FontsReadyContext } from './fonts';

/** What words inherit: React Native hands no text style from box to box, so boxes that set one do it here. */
export const TypographyContext = createContext<Typography>({});

/** The inherited typography with that of a style over it. */
export function useTypography(style: Typography): Typography {
  return mergeTypography(useContext(TypographyContext), style);
}

/** What text styles are looked up in on this screen. */
export function useTextScope(): TextScope {
  const { palette, theme, branding, mediaMap, direction, locale } = useRender();
  return { palette, theme, branding, mediaMap, direction, locale, fontsReady: useContext(FontsReadyContext) };
}

/** The complete style of words that have this authored style. */
export function useTextStyle(style: FieldTextStyle): NativeTextStyle {
  return textStyle(useTypography(style), useTextScope());
}
