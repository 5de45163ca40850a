import { DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core/internal';
import { type ReactNode, useRef } from 'react';
import { AccessibilityInfo, Modal, Platform, Pressable, StyleSheet, View } from 'react-native';
import { CoveredTopContext } from '../renderer/insets';
import { useSystemReducedMotion } from '../renderer/reduced-motion';

/**
 * How a flow stands above the app: the platform's card, a sheet that comes from below, or all of the screen.
 */
export type PresentationStyle = 'modal' | 'sheet' | 'full-screen';

/** Whether the flow may lie under the status bar: not in sheets and the cards of iOS, which begin below it. */
function reachesTop(presentation: PresentationStyle): boolean {
  return presentation === 'full-screen' || (presentation === 'modal' && Platform.OS !== 'ios');
}

interface CardProps {
  presentation: PresentationStyle;
  palette: Palette;
  /** Accessible name. */
  label: string | undefined;
  visible: boolean;
  /** Whether the gestures of the platform and a tap beside it close it. */
  dismissible: boolean;
  /** A swipe, a tap beside it or the escape gesture of a screen reader. */
  onDismiss: () => void;
  /** Android's back button. */
  onBack: () => void;
  children: ReactNode;
}

/** A modal of the platform: it has Android's back button, and screen readers stay inside. */
export function Card({ presentation, palette, label, visible, dismissible, onDismiss, onBack, children }: CardProps) {
  const reducedMotion = useSystemReducedMotion();
  const card = useRef<View>(null);
  const sheet = presentation === 'sheet';
  return (
    <Modal
      visible={visible}
      transparent={sheet}
      {...(sheet ? {} : { presentationStyle: presentation === 'modal' ? 'pageSheet' : 'fullScreen' })}
      animationType={reducedMotion ? 'none' : 'slide'}
      statusBarTranslucent
      navigationBarTranslucent
      allowSwipeDismissal={dismissible}
      onRequestClose={Platform.OS === 'android' ? onBack : onDismiss}
      onShow={() => {
        // Screen readers would stay with what the flow now covers.
        if (card.current && Platform.OS !== 'web') AccessibilityInfo.sendAccessibilityEvent(card.current, 'focus');
      }}
    >
      <View style={[styles.fill, sheet && styles.bottom]} pointerEvents={visible ? 'auto' : 'none'}>
        {sheet && (
          <Pressable
            testID="svc-backdrop"
            accessible={false}
            onPress={onDismiss}
            style={[StyleSheet.absoluteFill, styles.backdrop]}
          />
        )}
        <View
          ref={card}
          accessibilityViewIsModal
          aria-modal
          role="dialog"
          aria-label={label}
          onAccessibilityEscape={onDismiss}
          style={[sheet ? styles.sheet : styles.fill, { backgroundColor: DEFAULT_SCREEN_COLOR[palette] }]}
        >
          <CoveredTopContext.Provider value={reachesTop(presentation)}>{children}</CoveredTopContext.Provider>
        </View>
      </View>
    </Modal>
  );
}

const styles = StyleSheet.create({
  fill: { flex: 1 },
  bottom: { justifyContent: 'flex-end' },
  backdrop: { backgroundColor: 'rgba(0, 0, 0, 0.5)' },
  sheet: {
    height: '90%',
    width: '100%',
    maxWidth: 560,
    alignSelf: 'center',
    borderTopLeftRadius: 24,
    borderTopRightRadius: 24,
    overflow: 'hidden',
  },
});
