import type { CommonStyle, Layer } from '@svc/core';
import { type ReactNode, useEffect } from 'react';
import { AccessibilityInfo, Platform, StyleSheet, View } from 'react-native';
import { Box } from '../renderer/box';
import { Words } from '../renderer/words';
import { Children } from './children';

const CHILDREN_GAP = 8;

/** Column of an input: what the author put above it, the control, and what there is to say about it. */
export function InputColumn({
  layer,
  style,
  gap,
  children,
}: {
  layer: Layer & { children?: readonly Layer[] };
  style: CommonStyle;
  gap?: number;
  children: ReactNode;
}) {
  return (
    <Box layer={layer} look={style} layout={{ gap: gap ?? CHILDREN_GAP }}>
      <Children layers={layer.children ?? []} axis="vertical" />
      {children}
    </Box>
  );
}

/** Color of what is wrong. */
export const PROBLEM_COLOR = { light: '#b91c1c', dark: '#f87171' };

/** What is wrong with a value; read out when it appears. */
export function FieldMessage({ text }: { text: string | null }) {
  useEffect(() => {
    // Android and browsers read live regions by themselves; iOS knows none.
    if (text && Platform.OS === 'ios') AccessibilityInfo.announceForAccessibility(text);
  }, [text]);
  return (
    // A region must be there before its words are, and takes no room in the column until then.
    <View accessibilityLiveRegion="assertive" style={text === null ? styles.empty : null}>
      {text === null ? null : <Words role="alert" text={text} style={{ fontSize: 12, color: PROBLEM_COLOR }} />}
    </View>
  );
}

const HELPER_COLOR = { light: '#52525b', dark: '#a1a1aa' };

export function FieldHelper({ text }: { text: string }) {
  return <Words text={text} style={{ fontSize: 12, color: HELPER_COLOR }} />;
}

const styles = StyleSheet.create({ empty: { position: 'absolute' } });
