import type { ColorScheme } from '@svc/react-core';

const query = () => (typeof window === 'undefined' ? undefined : window.matchMedia?.('(prefers-color-scheme: dark)'));

/** The palette that the visitor's system is set to, live. */
export const SYSTEM_COLOR_SCHEME: ColorScheme = {
  current: () => (query()?.matches ? 'dark' : 'light'),
  subscribe: (listener) => {
    const list = query();
    list?.addEventListener('change', listener);
    return () => list?.removeEventListener('change', listener);
  },
};
