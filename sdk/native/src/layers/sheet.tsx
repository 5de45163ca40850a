import { DEFAULT_FOREGROUND, DEFAULT_SCREEN_COLOR } from '@svc/core/internal';
import { useRender } from '@svc/react-core';
import type { ReactNode } from 'react';
import { KeyboardAvoidingView, Modal, Platform, Pressable, StyleSheet, View } from 'react-native';
import { directionProps, directionStyle } from '../renderer/direction';
import { useInsets } from '../renderer/insets';
import { Words } from '../renderer/words';

const BACKDROP = 'rgba(0, 0, 0, 0.45)';
const SHEET_COLOR = { light: DEFAULT_SCREEN_COLOR.light, dark: '#18181b' };

export interface SheetAction {
  label: string;
  onPress(): void;
}

export interface SheetProps {
  title: string;
  /** Leads away without a choice; the area above the sheet and the system's back button do the same. */
  close: SheetAction;
  /** Takes what was chosen. */
  done?: SheetAction | undefined;
  /** Takes all the height there is instead of what its content needs. */
  tall?: boolean;
  children: ReactNode;
}

/** Choices that come up from the bottom edge, over everything else. */
export function Sheet({ title, close, done, tall, children }: SheetProps) {
  const { palette, direction, locale, reducedMotion } = useRender();
  const insets = useInsets();
  return (
    <Modal
      visible
      transparent
      statusBarTranslucent
      animationType={reducedMotion ? 'none' : 'slide'}
      onRequestClose={close.onPress}
    >
      <KeyboardAvoidingView
        behavior={Platform.OS === 'ios' ? 'padding' : undefined}
        {...directionProps(direction, locale)}
        style={[styles.whole, directionStyle(direction)]}
      >
        <Pressable accessible={false} onPress={close.onPress} style={[StyleSheet.absoluteFill, styles.backdrop]} />
        <View
          accessibilityViewIsModal
          aria-modal
          role="dialog"
          aria-label={title}
          style={[
            styles.sheet,
            tall ? styles.tall : null,
            { backgroundColor: SHEET_COLOR[palette], paddingBottom: insets.bottom + 12 },
          ]}
        >
          <View style={styles.bar}>
            <BarButton {...close} />
            <View style={styles.title}>
              <Words role="heading" text={title} lines={1} style={{ fontSize: 16, fontWeight: 600, align: 'center' }} />
            </View>
            {done ? <BarButton {...done} strong /> : <View style={styles.balance} />}
          </View>
          {children}
        </View>
      </KeyboardAvoidingView>
    </Modal>
  );
}

function BarButton({ label, onPress, strong }: SheetAction & { strong?: boolean }) {
  const { theme, palette } = useRender();
  return (
    <Pressable accessibilityRole="button" hitSlop={8} onPress={onPress} style={styles.barButton}>
      <Words
        text={label}
        style={{ fontSize: 15, fontWeight: strong ? 600 : 400, color: theme?.primary ?? DEFAULT_FOREGROUND[palette] }}
      />
    </Pressable>
  );
}

const styles = StyleSheet.create({
  whole: { flex: 1, justifyContent: 'flex-end' },
  backdrop: { backgroundColor: BACKDROP },
  sheet: {
    borderTopLeftRadius: 16,
    borderTopRightRadius: 16,
    overflow: 'hidden',
    maxHeight: '85%',
    width: '100%',
    maxWidth: 560,
    alignSelf: 'center',
  },
  tall: { height: '85%' },
  bar: { flexDirection: 'row', alignItems: 'center', paddingHorizontal: 8, minHeight: 52, gap: 8 },
  barButton: { minWidth: 64, minHeight: 44, paddingHorizontal: 8, alignItems: 'center', justifyContent: 'center' },
  balance: { minWidth: 64 },
  title: { flex: 1 },
});
