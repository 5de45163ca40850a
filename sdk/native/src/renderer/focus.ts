import { type RefObject, useEffect } from 'react';
import { AccessibilityInfo, Platform, type View } from 'react-native';

/**
 * Moves a screen reader to a view when it appears: whatever it stood on before is gone, and it would start at the top
 * of the app.
 */
export function useScreenFocus(view: RefObject<View | null>, wanted: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a screen that appears may take the focus
  useEffect(() => {
    if (!wanted || !view.current) return;
    if (Platform.OS === 'web') view.current.focus();
    else AccessibilityInfo.sendAccessibilityEvent(view.current, 'focus');
  }, []);
}
