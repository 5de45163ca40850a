import { createMemoryStore, type KeyValueStore, type Platform } from '@svc/core';
import { isDevelopmentBuild } from '@svc/react-core';

/** Whether this is a browser's main thread; on a server the SDK keeps nothing and starts nothing. */
export function isBrowser(): boolean {
  return typeof window !== 'undefined' && typeof document !== 'undefined';
}

/**
 * A web storage. It is looked up on every call, because with blocked cookies even the look-up throws; core treats
 * whatever throws as "memory only".
 */
function webStore(find: () => Storage): KeyValueStore {
  return {
    getItem: (key) => find().getItem(key),
    setItem: (key, value) => find().setItem(key, value),
    removeItem: (key) => find().removeItem(key),
    keys: () => {
      const storage = find();
      return Array.from({ length: storage.length }, (_, i) => storage.key(i)).filter((key) => key !== null);
    },
  };
}

/** What core needs, from the browser; on a server, with stores that forget. */
export function createBrowserPlatform(): Platform {
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
    storage: isBrowser() ? webStore(() => window.localStorage) : createMemoryStore(),
    sessionStorage: isBrowser() ? webStore(() => window.sessionStorage) : createMemoryStore(),
    parseUrl: (text) => {
      try {
        const { protocol, host, hostname, pathname, search, hash } = new URL(text);
        return { protocol, host, hostname, pathname, search, hash };
      } catch {
        return null;
      }
    },
    developmentBuild: isDevelopmentBuild(),
    console: globalThis.console,
  };
}

/** The store that lives as long as the tab; may throw. */
export function tabStore({ sessionStorage, storage }: Platform): KeyValueStore {
  return sessionStorage ?? storage;
}
