import { DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core/internal';
import type { ComponentType, ReactNode } from 'react';
import {
  KeyboardAvoidingView,
  Platform,
  type StyleProp,
  StyleSheet,
  View,
  type ViewProps,
  type ViewStyle,
} from 'react-native';
import { loadGestureHandler } from '../host/optional-modules';

export interface ScreenChromeProps {
  /** Palette. Default `light`. */
  theme?: Palette;
  /** False where the app has a `GestureHandlerRootView` of its own around everything. Default true. */
  withGestureRoot?: boolean;
  style?: StyleProp<ViewStyle>;
  children?: ReactNode;
}

let gestureRoot: ComponentType<ViewProps> | undefined;

/** The root for gestures, looked up once; a plain view where none is linked. */
function findGestureRoot(): ComponentType<ViewProps> {
  gestureRoot ??= (loadGestureHandler()?.GestureHandlerRootView as ComponentType<ViewProps> | undefined) ?? View;
  return gestureRoot;
}

const styles = StyleSheet.create({ fill: { flex: 1 } });

/** What a screen of a flow needs around it: a root for gestures, and room for the keyboard. For custom flow UIs. */
export function ScreenChrome({ theme = 'light', withGestureRoot = true, style, children }: ScreenChromeProps) {
  const Root = withGestureRoot ? findGestureRoot() : View;
  return (
    <Root style={[styles.fill, { backgroundColor: DEFAULT_SCREEN_COLOR[theme] }, style]}>
      <KeyboardAvoidingView
        style={styles.fill}
        // Android resizes the window by itself.
        behavior={Platform.OS === 'ios' ? 'padding' : undefined}
      >
        {children}
      </KeyboardAvoidingView>
    </Root>
  );
}
