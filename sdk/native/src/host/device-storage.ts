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
 * The device's storage with a limit on how long it may take. Once it let something wait for too long it counts as
 * gone and everything is refused at once; the callers then go on in memory.
 */
export class DeviceStorage implements AsyncKeyValueStore {
  private gone = false;

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
    const storage = this.gone ? null : this.find();
    if (!storage) throw new Error('the device has no storage');
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.gone = true;
        reject(new Error(`the device's storage did not answer within ${STORAGE_TIMEOUT_MS} ms`));
      }, STORAGE_TIMEOUT_MS);
    });
    try {
      return await Promise.race([use(storage), limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}
