import { useSyncExternalStore } from 'react';

const QUERY = '(prefers-reduced-motion: reduce)';

let asked: MediaQueryList | undefined;
/** Asked of the browser once: to ask anew at each drawing of a screen takes longer than to draw a small one. */
function query(): MediaQueryList | undefined {
  asked ??= typeof window === 'undefined' ? undefined : window.matchMedia?.(QUERY);
  return asked;
}

function subscribe(onChange: () => void): () => void {
  const list = query();
  list?.addEventListener('change', onChange);
  return () => list?.removeEventListener('change', onChange);
}

/** Whether the visitor's system asks for less motion. False on a server. */
export function useSystemReducedMotion(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => query()?.matches ?? false,
    () => false,
  );
}
