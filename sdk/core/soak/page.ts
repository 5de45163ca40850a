import { randomBytes } from 'node:crypto';
import { createMemoryStore, type KeyValueStore, type Platform } from '../src/index';

/** What a page or an app runs on, until it is killed: from then on nothing of it happens any more. */
export class PagePlatform implements Platform {
  alive = true;
  readonly developmentBuild = false;
  readonly console = { warn: () => undefined, debug: () => undefined };
  readonly sessionStorage = createMemoryStore();
  readonly storage: KeyValueStore;

  /**
   * @param device what all pages of the device share
   * @param failing whether the store refuses a call now
   */
  constructor(device: KeyValueStore, failing: () => boolean) {
    const guard = () => {
      if (failing()) throw new Error('QuotaExceededError');
    };
    const isDead = () => !this.alive;
    this.storage = {
      getItem: (key) => {
        guard();
        return device.getItem(key);
      },
      setItem: (key, value) => {
        guard();
        if (!isDead()) device.setItem(key, value);
      },
      removeItem: (key) => {
        guard();
        if (!isDead()) device.removeItem(key);
      },
      keys: () => {
        guard();
        return device.keys();
      },
    };
  }

  randomBytes = (length: number) => new Uint8Array(randomBytes(length));
  now = () => Date.now();
  setTimeout = (callback: () => void, ms: number) =>
    setTimeout(() => {
      if (this.alive) callback();
    }, ms);
  clearTimeout = (timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>);
  createAbort = () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  };
  parseUrl = (text: string) => new URL(text);

  fetch: Platform['fetch'] = async (url, { signal, ...init }) => {
    const never = new Promise<never>(() => undefined);
    if (!this.alive) return never;
    try {
      const response = await fetch(url, { ...init, signal: signal as AbortSignal });
      const text = await response.text();
      if (!this.alive) return never;
      return { status: response.status, headers: response.headers, text: async () => text };
    } catch (error) {
      if (!this.alive) return never;
      throw error;
    }
  };
}
