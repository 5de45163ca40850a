import type { CommonStyle } from '@svc/core';
import { splitOpacity } from '@svc/core/internal';
import type { StyleScope } from '@svc/react-core';
import type { ViewStyle } from 'react-native';
import { chromeStyle } from './chrome';
import { paddingStyle, placementStyle } from './placement';
import type { Surround } from './surround';

/**
 * The style of a box of any kind. Its opacity as a whole and its rotation are separate, since motion changes them,
 * and so is a linear gradient.
 */
export function boxStyle(style: CommonStyle, surround: Surround, scope: StyleScope): ViewStyle {
  return { ...placementStyle(style, surround), ...paddingStyle(style.padding), ...chromeStyle(style, scope) };
}

const DISABLED_OPACITY = 0.5;

/** Opacity of a layer as a whole, faded further while it is disabled. */
export function layerOpacity(style: CommonStyle, disabled = false): number {
  return splitOpacity(style).whole * (disabled ? DISABLED_OPACITY : 1);
}
