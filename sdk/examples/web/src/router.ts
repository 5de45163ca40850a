import { useSyncExternalStore } from 'react';

const CHANGE = 'example:navigate';
/** Where the example is mounted, without the slash at its end. */
const BASE = import.meta.env.BASE_URL.replace(/\/$/, '');

/** Goes to a page of the example, unless it is open. The SDK sees the new address by itself. */
export function goTo(path: string): void {
  if (window.location.pathname === BASE + path) return;
  window.history.pushState(null, '', BASE + path);
  window.dispatchEvent(new Event(CHANGE));
}

function subscribe(onChange: () => void): () => void {
  for (const name of ['popstate', CHANGE]) window.addEventListener(name, onChange);
  return () => {
    for (const name of ['popstate', CHANGE]) window.removeEventListener(name, onChange);
  };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname.slice(BASE.length));
}
