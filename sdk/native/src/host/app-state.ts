import { AppState } from 'react-native';

/** Whether the app runs without being seen, as for a push message: then nobody visits it. */
export function isInBackground(): boolean {
  return AppState.currentState === 'background';
}

/**
 * Calls back when the app goes to the background and when it comes back. Being covered for a moment, as by a system
 * dialog or the app switcher, is neither. Returns the removal.
 */
export function onAppState(listener: { background(): void; foreground(): void }): () => void {
  let away = isInBackground();
  const subscription = AppState.addEventListener('change', (state) => {
    if (state === 'background' && !away) {
      away = true;
      listener.background();
    } else if (state === 'active' && away) {
      away = false;
      listener.foreground();
    }
  });
  return () => subscription.remove();
}
