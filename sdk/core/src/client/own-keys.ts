import { CHECKOUT_RESUME_KEY, isOwnKey } from '../analytics/storage-keys';
import { isEventKey } from '../events/event-store';
import type { KeyValueStore, Platform } from '../host/platform';

/**
 * Removes what the SDK keeps, except for a payment under way. Copies of undelivered events go last, since `settle`
 * still has to read and report them.
 */
export async function removeOwnKeys(
  platform: Platform,
  stores: readonly KeyValueStore[],
  settle: () => Promise<void>,
): Promise<void> {
  const remove = (wanted: (key: string) => boolean) => {
    for (const store of stores) for (const key of store.keys()) if (wanted(key)) store.removeItem(key);
  };
  const isRemoved = (key: string) => isOwnKey(key) && key !== CHECKOUT_RESUME_KEY;
  remove((key) => isRemoved(key) && !isEventKey(key));
  await settle();
  remove(isEventKey);
  const { cacheStorage } = platform;
  if (!cacheStorage) return;
  try {
    for (const key of await cacheStorage.keys()) if (isOwnKey(key)) await cacheStorage.removeItem(key);
  } catch {
    // A store that cannot be listed or changed kept nothing that could be removed.
  }
}
