import { DEFAULT_FOREGROUND, DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core';
import { type Copy, DEFAULT_COPY } from '@svc/react-core';
import { ActivityIndicator, StyleSheet, View } from 'react-native';

const styles = StyleSheet.create({
  frame: { flex: 1, alignItems: 'center', justifyContent: 'center', minHeight: 120 },
});

/** A spinner. */
export function Waiting({ palette = 'light', copy }: { palette?: Palette; copy?: Partial<Copy> | undefined }) {
  return (
    <View style={[styles.frame, { backgroundColor: DEFAULT_SCREEN_COLOR[palette] }]}>
      <ActivityIndicator
        color={DEFAULT_FOREGROUND[palette]}
        accessibilityRole="progressbar"
        accessibilityLabel={copy?.loading ?? DEFAULT_COPY.loading}
      />
    </View>
  );
}
