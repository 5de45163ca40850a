import type { CommonStyle } from '@svc/core';
import { resolveColor } from '@svc/core/internal';
import { useRender } from '@svc/react-core';
import type { ReactNode } from 'react';
import { StyleSheet, View } from 'react-native';
import { Backdrop } from '../renderer/box';
import { chromeStyle } from '../style/chrome';
import { PROBLEM_COLOR } from './input-column';

/** Border of a field that has the focus, where the theme names no color. */
const FOCUS_COLOR = '#2563eb';

export interface FieldFrameProps {
  chrome: CommonStyle;
  focused?: boolean;
  invalid?: boolean;
  children: ReactNode;
}

/** What makes a field visible. Its border says whether it has the focus and whether its value passes. */
export function FieldFrame({ chrome, focused, invalid, children }: FieldFrameProps) {
  const context = useRender();
  const { palette, theme } = context;
  const focus = resolveColor(theme?.primary, palette, theme) ?? FOCUS_COLOR;
  const color = invalid ? PROBLEM_COLOR[palette] : focused ? focus : undefined;
  const framed = color === undefined ? chrome : { ...chrome, border: { width: chrome.border?.width ?? 1, color } };
  return (
    <View style={[chromeStyle(framed, context), styles.frame]}>
      <Backdrop look={chrome} />
      {children}
    </View>
  );
}

const styles = StyleSheet.create({ frame: { flexDirection: 'row', alignItems: 'center' } });
