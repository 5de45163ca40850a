import { useSyncExternalStore } from 'react';
import { mediaQuery } from '../host/media-query';

const reduced = mediaQuery('(prefers-reduced-motion: reduce)');

/** Whether the visitor's system asks for less motion. False on a server. */
export function useSystemReducedMotion(): boolean {
  return useSyncExternalStore(reduced.subscribe, reduced.matches, () => false);
}
