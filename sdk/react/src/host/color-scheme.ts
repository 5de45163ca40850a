import type { ColorScheme } from '@svc/react-core';
import { mediaQuery } from './media-query';

const dark = mediaQuery('(prefers-color-scheme: dark)');

/** The palette that the visitor's system is set to, live. */
export const SYSTEM_COLOR_SCHEME: ColorScheme = {
  current: () => (dark.matches() ? 'dark' : 'light'),
  subscribe: dark.subscribe,
};
