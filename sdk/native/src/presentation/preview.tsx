import type { ExternalSurfaceNode, SurfaceOutcome } from '@svc/core';
import { DEFAULT_FOREGROUND, DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core/internal';
import { previewOutcomes, previewWords } from '@svc/react-core';
import { StyleSheet, Text, View } from 'react-native';
import { WayButton } from '../flow/waiting';
import { useInsets } from '../renderer/insets';

/** Says that what is presented is a preview. */
export function PreviewBadge({ locale }: { locale: string | undefined }) {
  const { top } = useInsets();
  return (
    <View pointerEvents="none" style={[styles.badge, { top: 8 + top }]}>
      <Text accessibilityRole="text" style={styles.badgeText}>
        {previewWords(locale).badge}
      </Text>
    </View>
  );
}

interface PreviewSurfaceProps {
  node: ExternalSurfaceNode;
  palette: Palette;
  locale: string | undefined;
  report: (outcome: SurfaceOutcome) => void;
}

/** Stands for a surface: nothing is sold, and every way out can be taken. */
export function PreviewSurface({ node, palette, locale, report }: PreviewSurfaceProps) {
  const words = previewWords(locale);
  const color = DEFAULT_FOREGROUND[palette];
  return (
    <View style={[styles.surface, { backgroundColor: DEFAULT_SCREEN_COLOR[palette] }]}>
      <Text style={[styles.title, { color }]}>{`${words.surface} ${node.name ?? node.config.provider}`}</Text>
      {previewOutcomes(node).map((outcome) => (
        <WayButton
          key={outcome}
          label={words.outcomes[outcome]}
          run={() => report(outcome)}
          color={color}
          style={{ ...styles.outcome, borderColor: color }}
        />
      ))}
    </View>
  );
}

const styles = StyleSheet.create({
  badge: {
    position: 'absolute',
    end: 8,
    paddingVertical: 3,
    paddingHorizontal: 9,
    borderRadius: 999,
    borderWidth: 1,
    borderColor: 'rgba(255, 255, 255, 0.7)',
    backgroundColor: '#5b21b6',
  },
  badgeText: { color: '#ffffff', fontSize: 12, fontWeight: '600' },
  surface: { flex: 1, alignItems: 'center', justifyContent: 'center', gap: 16, padding: 20 },
  title: { fontSize: 16, textAlign: 'center' },
  outcome: { width: '100%', maxWidth: 320, alignItems: 'center', borderRadius: 10, borderWidth: 1 },
});
