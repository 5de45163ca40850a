import { BUTTON_VARIANTS, DEFAULT_FOREGROUND, DEFAULT_SCREEN_COLOR } from '@svc/core';
import { type DefaultResolveErrorProps, resolveErrorWords } from '@svc/react-core';
import { Pressable, StyleSheet, Text, View } from 'react-native';

const styles = StyleSheet.create({
  frame: { flex: 1, alignItems: 'center', justifyContent: 'center', gap: 16, minHeight: 120, padding: 20 },
  title: { fontSize: 16, textAlign: 'center' },
  button: { minHeight: 44, justifyContent: 'center', paddingHorizontal: 14, borderRadius: 10, borderWidth: 1 },
  pressed: { opacity: 0.85 },
  label: { fontSize: 16 },
});

/** What `Flow` shows when its flow cannot be loaded and the host has nothing of its own. */
export function DefaultResolveError(props: DefaultResolveErrorProps) {
  const { retry, theme = 'light' } = props;
  const { title, retryLabel } = resolveErrorWords(props);
  const chrome = BUTTON_VARIANTS.secondary;
  return (
    <View style={[styles.frame, { backgroundColor: DEFAULT_SCREEN_COLOR[theme] }]}>
      <Text
        accessibilityRole="alert"
        accessibilityLiveRegion="polite"
        style={[styles.title, { color: DEFAULT_FOREGROUND[theme] }]}
      >
        {title}
      </Text>
      {retryLabel !== null && (
        <Pressable
          accessibilityRole="button"
          onPress={retry}
          style={({ pressed }) => [styles.button, { borderColor: chrome.border?.[theme] }, pressed && styles.pressed]}
        >
          <Text style={[styles.label, { color: chrome.label[theme] }]}>{retryLabel}</Text>
        </Pressable>
      )}
    </View>
  );
}
