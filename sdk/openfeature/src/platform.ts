import { createMemoryStore, type KeyValueStore, type Platform } from '@svc/core';

declare const process: { env: { NODE_ENV?: string } } | undefined;

/** A web storage that is looked up on every call: with blocked cookies even the look-up throws. */
function webStore(find: () => Storage): KeyValueStore {
  return {
    getItem: (key) => find().getItem(key),
    setItem: (key, value) => find().setItem(key, value),
    removeItem: (key) => find().removeItem(key),
    keys: () => Object.keys(find()),
  };
}

/** What core needs, from a browser or a server of today: both have the same globals. */
export function createPlatform(): Platform {
  const isBrowser = typeof window !== 'undefined' && typeof document !== 'undefined';
  return {
    randomBytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
    now: () => Date.now(),
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    fetch: (url, init) => globalThis.fetch(url, init as RequestInit),
    createAbort: () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort() };
    },
    storage: isBrowser ? webStore(() => window.localStorage) : createMemoryStore(),
    parseUrl: (text) => (URL.canParse(text) ? new URL(text) : null),
    developmentBuild: typeof process !== 'undefined' && process.env.NODE_ENV !== 'production',
    console: globalThis.console,
  };
}
