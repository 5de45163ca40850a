import { DEFAULT_FOREGROUND, DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core/internal';
import { type Copy, DEFAULT_COPY } from '@svc/react-core';
import { ActivityIndicator, Pressable, StyleSheet, Text, View, type ViewStyle } from 'react-native';

const styles = StyleSheet.create({
  frame: { flex: 1, alignItems: 'center', justifyContent: 'center', gap: 16, minHeight: 120 },
  button: { minHeight: 44, justifyContent: 'center', paddingHorizontal: 14 },
  pressed: { opacity: 0.85 },
  label: { fontSize: 16 },
});

/** A way out of a view. */
export interface Way {
  label: string;
  run: () => void;
}

interface WaitingProps {
  palette?: Palette;
  copy?: Partial<Copy> | undefined;
  action?: Way | undefined;
}

/** A spinner, with a way out where there is one. */
export function Waiting({ palette = 'light', copy, action }: WaitingProps) {
  return (
    <View style={[styles.frame, { backgroundColor: DEFAULT_SCREEN_COLOR[palette] }]}>
      <ActivityIndicator
        color={DEFAULT_FOREGROUND[palette]}
        accessibilityRole="progressbar"
        accessibilityLabel={copy?.loading ?? DEFAULT_COPY.loading}
      />
      {action && <WayButton {...action} color={DEFAULT_FOREGROUND[palette]} />}
    </View>
  );
}

interface WayButtonProps extends Way {
  color: string | undefined;
  style?: ViewStyle;
}

/** A button of the SDK itself. */
export function WayButton({ label, run, color, style }: WayButtonProps) {
  return (
    <Pressable
      accessibilityRole="button"
      onPress={run}
      style={({ pressed }) => [styles.button, style, pressed && styles.pressed]}
    >
      <Text style={[styles.label, { color }]}>{label}</Text>
    </Pressable>
  );
}
