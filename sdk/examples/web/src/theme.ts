import { useCallback, useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

/** Whether a media query holds, now and as it changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** The palette that a choice comes down to on this device. */
export function useTheme(theme: Theme): 'light' | 'dark' {
  const isDark = useMedia('(prefers-color-scheme: dark)');
  return theme === 'system' ? (isDark ? 'dark' : 'light') : theme;
}
