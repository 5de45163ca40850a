import type { AsyncKeyValueStore } from '@svc/core';
import { loadAsyncStorage } from './optional-modules';

/** Longest wait for the device's storage, in ms. Launches must not hang on one that never answers. */
export const STORAGE_TIMEOUT_MS = 3_000;

/** The part of AsyncStorage that is used; the same in its second and third generation. */
export interface AsyncStorageLike {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  getAllKeys(): Promise<readonly string[]>;
}

/**
 * The device's storage with a limit on how long it may take. After it let something wait for too long everything is
 * refused at once, and the callers go on in memory, until it does answer: an app that was put to sleep in the middle
 * of a write finds its storage late, not gone.
 */
export class DeviceStorage implements AsyncKeyValueStore {
  private silent = false;
  private storage: AsyncStorageLike | null = null;

  constructor(private readonly find: () => AsyncStorageLike | null = () => loadAsyncStorage() as AsyncStorageLike) {}

  getItem(key: string): Promise<string | null> {
    return this.within((storage) => storage.getItem(key));
  }

  setItem(key: string, value: string): Promise<void> {
    return this.within((storage) => storage.setItem(key, value));
  }

  removeItem(key: string): Promise<void> {
    return this.within((storage) => storage.removeItem(key));
  }

  keys(): Promise<string[]> {
    return this.within(async (storage) => [...(await storage.getAllKeys())]);
  }

  private async within<T>(use: (storage: AsyncStorageLike) => Promise<T>): Promise<T> {
    this.storage ??= this.find();
    if (!this.storage || this.silent) throw new Error('the device has no storage');
    const answered = () => {
      this.silent = false;
    };
    const answer = use(this.storage);
    answer.then(answered, answered);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.silent = true;
        reject(new Error(`the device's storage did not answer within ${STORAGE_TIMEOUT_MS} ms`));
      }, STORAGE_TIMEOUT_MS);
    });
    try {
      return await Promise.race([answer, limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}
