import { BUTTON_VARIANTS, DEFAULT_FOREGROUND, DEFAULT_SCREEN_COLOR } from '@svc/core/internal';
import { type DefaultResolveErrorProps as BaseProps, resolveErrorWords } from '@svc/react-core';
import { StyleSheet, Text, View } from 'react-native';
import { type Way, WayButton } from './waiting';

export interface DefaultResolveErrorProps extends BaseProps {
  /** Offered below, where the view stands in something that can be closed. */
  close?: Way | undefined;
}

const styles = StyleSheet.create({
  frame: { flex: 1, alignItems: 'center', justifyContent: 'center', gap: 16, minHeight: 120, padding: 20 },
  title: { fontSize: 16, textAlign: 'center' },
});

/** What `Flow` shows when its flow cannot be loaded and the host has nothing of its own. */
export function DefaultResolveError(props: DefaultResolveErrorProps) {
  const { retry, theme = 'light', close } = props;
  const { title, retryLabel } = resolveErrorWords(props);
  const chrome = BUTTON_VARIANTS.secondary;
  const border = { borderRadius: 10, borderWidth: 1, borderColor: chrome.border?.[theme] };
  return (
    <View style={[styles.frame, { backgroundColor: DEFAULT_SCREEN_COLOR[theme] }]}>
      <Text
        accessibilityRole="alert"
        accessibilityLiveRegion="polite"
        style={[styles.title, { color: DEFAULT_FOREGROUND[theme] }]}
      >
        {title}
      </Text>
      {retryLabel !== null && <WayButton label={retryLabel} run={retry} color={chrome.label[theme]} style={border} />}
      {close && <WayButton {...close} color={DEFAULT_FOREGROUND[theme]} />}
    </View>
  );
}
