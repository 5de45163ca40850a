import type { KeyValueStore, Platform } from '../../core/src/host/platform';

/** A store of the browser. Where it is blocked or full, a page goes on in memory. */
function kept(find: () => Storage): KeyValueStore {
  const memory = new Map<string, string>();
  const attempt = <T>(read: () => T, instead: T): T => {
    try {
      return read();
    } catch {
      return instead;
    }
  };
  return {
    getItem: (key) => memory.get(key) ?? attempt(() => find().getItem(key), null),
    setItem(key, value) {
      memory.set(key, value);
      attempt(() => {
        find().setItem(key, value);
        memory.delete(key);
      }, undefined);
    },
    removeItem(key) {
      memory.delete(key);
      attempt(() => find().removeItem(key), undefined);
    },
    keys: () => [...memory.keys(), ...attempt(() => Object.keys(find()), [])],
  };
}

/** What the rules of the SDK need of a browser. */
export const platform = {
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  now: () => Date.now(),
} satisfies Partial<Platform>;

export const device = kept(() => localStorage);
export const tab = kept(() => sessionStorage);

/** Parts of an address; null when it is none. */
export function parse(address: string): URL | null {
  if (address === '') return null; // the usual referrer; the error would take a millisecond of a phone
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
