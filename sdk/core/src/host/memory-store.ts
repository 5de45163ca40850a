import type { KeyValueStore } from './platform';

/** A store that lasts as long as the object; what core falls back to when the host has none. */
export function createMemoryStore(): KeyValueStore {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    keys: () => [...values.keys()],
  };
}

/**
 * Wraps a store that may throw (blocked cookies, full quota). Reads that fail are misses; a write that fails
 * stays in memory and shadows the store from then on.
 */
export function createSafeStore(store: KeyValueStore): KeyValueStore {
  // Null marks a removal that the store refused.
  const shadow = new Map<string, string | null>();
  return {
    getItem(key) {
      const kept = shadow.get(key);
      if (kept !== undefined) return kept;
      try {
        return store.getItem(key);
      } catch {
        return null;
      }
    },
    setItem(key, value) {
      try {
        store.setItem(key, value);
        shadow.delete(key);
      } catch {
        shadow.set(key, value);
      }
    },
    removeItem(key) {
      try {
        store.removeItem(key);
        shadow.delete(key);
      } catch {
        shadow.set(key, null);
      }
    },
    keys() {
      const keys = new Set<string>();
      try {
        for (const key of store.keys()) keys.add(key);
      } catch {
        // A store that cannot be listed has no keys that could be removed either.
      }
      for (const [key, value] of shadow) {
        if (value === null) keys.delete(key);
        else keys.add(key);
      }
      return [...keys];
    },
  };
}
