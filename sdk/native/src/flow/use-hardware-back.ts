import { useEffect } from 'react';
import { BackHandler, Platform } from 'react-native';

/**
 * Lets Android's back button go back a screen.
 *
 * @param goBack what it does; null leaves the button to the app
 */
export function useHardwareBack(goBack: (() => void) | null): void {
  useEffect(() => {
    if (!goBack || Platform.OS !== 'android') return undefined;
    const subscription = BackHandler.addEventListener('hardwareBackPress', () => {
      goBack();
      return true;
    });
    return () => subscription.remove();
  }, [goBack]);
}
