import type { AsyncKeyValueStore } from '../host/platform';
import { utf8Length } from '../host/text-size';
import type { ResolvedFlow } from './types';

export const MANIFEST_RESOLVE_CACHE_KEY_PREFIX = 'svc:resolve:';
/** Keys of the device store in order of use, the most recent last. */
const USE_ORDER_KEY = 'svc:resolve-order';
/** Most entries kept on the device. */
export const RESOLVE_CACHE_MAX_ENTRIES = 20;
/** Largest entry kept on the device, in UTF-8 bytes of its JSON. Larger ones stay in memory. */
export const RESOLVE_CACHE_MAX_ENTRY_BYTES = 1024 * 1024;

export interface ResolveCacheEntry {
  etag: string;
  body: ResolvedFlow;
  /** Milliseconds since 1970. */
  cachedAt: number;
}

/** Device cache key: one per service, key, channel, locale and person (sdk.md, Cache). */
export function manifestResolveCacheKey(
  baseUrl: string,
  publishableKey: string,
  channelId: string,
  locale: string | undefined,
  appUserId: string,
): string {
  const base = baseUrl.replace(/\/+$/, '');
  return `${MANIFEST_RESOLVE_CACHE_KEY_PREFIX}${base}:${publishableKey}:${channelId.trim()}:${(locale ?? '').trim()}:${encodeURIComponent(appUserId)}`;
}

export interface ParsedResolveCacheKey {
  baseUrl: string;
  publishableKey: string;
  channelId: string;
  locale: string;
  appUserId: string;
}

/** Takes a cache key apart, from the right since base addresses have colons; null when it is none. */
export function parseManifestResolveCacheKey(key: string): ParsedResolveCacheKey | null {
  if (!key.startsWith(MANIFEST_RESOLVE_CACHE_KEY_PREFIX)) return null;
  const parts = key.slice(MANIFEST_RESOLVE_CACHE_KEY_PREFIX.length).split(':');
  if (parts.length < 5) return null;
  const [publishableKey = '', channelId = '', locale = '', user = ''] = parts.slice(-4);
  try {
    return {
      baseUrl: parts.slice(0, -4).join(':'),
      publishableKey,
      channelId,
      locale,
      appUserId: decodeURIComponent(user),
    };
  } catch {
    return null;
  }
}

/**
 * Resolve answers in memory and, when allowed, on the device. Never throws: a store that fails means memory only.
 */
export class ResolveCache {
  private readonly memory = new Map<string, ResolveCacheEntry>();
  /** Serializes changes of the device store, whose order list is read and written back. */
  private queue: Promise<unknown> = Promise.resolve();

  /** @param store the device store, or null while nothing may be kept there (web before consent) */
  constructor(private readonly store: () => AsyncKeyValueStore | null) {}

  /** What memory holds, at once. */
  peek(key: string): ResolveCacheEntry | undefined {
    return this.memory.get(key);
  }

  /** The entry of memory or else of the device. */
  async read(key: string): Promise<ResolveCacheEntry | undefined> {
    const kept = this.memory.get(key);
    if (kept) {
      this.enqueue((store) => touch(store, key));
      return kept;
    }
    const store = this.store();
    if (!store) return undefined;
    try {
      const entry = parseEntry(await store.getItem(key));
      if (!entry) return undefined;
      this.memory.set(key, entry);
      this.enqueue((current) => touch(current, key));
      return entry;
    } catch {
      return undefined;
    }
  }

  /** Keeps an entry; resolves when the device store has it or has refused it. */
  write(key: string, entry: ResolveCacheEntry): Promise<void> {
    this.memory.set(key, entry);
    const text = JSON.stringify(entry);
    return this.enqueue(async (store) => {
      if (utf8Length(text) > RESOLVE_CACHE_MAX_ENTRY_BYTES) await forget(store, key);
      else await put(store, key, text);
    });
  }

  evict(key: string): Promise<void> {
    this.memory.delete(key);
    return this.enqueue((store) => forget(store, key));
  }

  /** Moves what memory holds onto the device, once that is allowed. */
  async persist(): Promise<void> {
    for (const [key, entry] of this.memory) await this.write(key, entry);
  }

  forgetMemory(): void {
    this.memory.clear();
  }

  /** Removes everything and tells how many entries there were. */
  async clear(): Promise<number> {
    const keys = new Set(this.memory.keys());
    this.memory.clear();
    await this.enqueue(async (store) => {
      for (const key of await store.keys()) {
        if (!key.startsWith(MANIFEST_RESOLVE_CACHE_KEY_PREFIX)) continue;
        keys.add(key);
        await store.removeItem(key);
      }
      await store.removeItem(USE_ORDER_KEY);
    });
    return keys.size;
  }

  /** Summaries of all entries, newest first. */
  async list(): Promise<ResolveCacheSummary[]> {
    const keys = new Set(this.memory.keys());
    try {
      for (const key of (await this.store()?.keys()) ?? []) {
        if (key.startsWith(MANIFEST_RESOLVE_CACHE_KEY_PREFIX)) keys.add(key);
      }
    } catch {
      // Memory alone, then.
    }
    const summaries: ResolveCacheSummary[] = [];
    for (const key of keys) {
      const parsed = parseManifestResolveCacheKey(key);
      const entry = await this.read(key);
      if (!parsed || !entry) continue;
      const { channelId, locale, appUserId } = parsed;
      const { flowId, versionId } = entry.body;
      summaries.push({
        key,
        channelId,
        locale,
        appUserId,
        etag: entry.etag,
        flowId,
        versionId,
        cachedAt: entry.cachedAt,
      });
    }
    return summaries.sort((a, b) => b.cachedAt - a.cachedAt);
  }

  private enqueue(change: (store: AsyncKeyValueStore) => Promise<void>): Promise<void> {
    const step = this.queue.then(async () => {
      const store = this.store();
      if (!store) return;
      try {
        await change(store);
      } catch {
        // The store is blocked or full; memory has the entry.
      }
    });
    this.queue = step;
    return step;
  }
}

export interface ResolveCacheSummary {
  key: string;
  channelId: string;
  locale: string;
  appUserId: string;
  etag: string;
  flowId: string;
  versionId: string;
  cachedAt: number;
}

function parseEntry(text: string | null): ResolveCacheEntry | undefined {
  if (text === null) return undefined;
  try {
    const entry = JSON.parse(text) as Partial<ResolveCacheEntry> | null;
    const usable = typeof entry?.etag === 'string' && typeof entry.body === 'object' && entry.body !== null;
    return usable ? ({ cachedAt: 0, ...entry } as ResolveCacheEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** Keys by use; entries that the list misses (written by another version) count as the oldest. */
async function useOrder(store: AsyncKeyValueStore): Promise<string[]> {
  const present = (await store.keys()).filter((key) => key.startsWith(MANIFEST_RESOLVE_CACHE_KEY_PREFIX));
  let listed: unknown;
  try {
    listed = JSON.parse((await store.getItem(USE_ORDER_KEY)) ?? '[]');
  } catch {
    listed = [];
  }
  const order = Array.isArray(listed) ? listed.filter((key): key is string => present.includes(key)) : [];
  return [...present.filter((key) => !order.includes(key)), ...order];
}

async function touch(store: AsyncKeyValueStore, key: string): Promise<void> {
  const order = await useOrder(store);
  if (!order.includes(key) || order[order.length - 1] === key) return;
  await store.setItem(USE_ORDER_KEY, JSON.stringify([...order.filter((other) => other !== key), key]));
}

async function forget(store: AsyncKeyValueStore, key: string): Promise<void> {
  await store.removeItem(key);
}

async function put(store: AsyncKeyValueStore, key: string, text: string): Promise<void> {
  const others = (await useOrder(store)).filter((other) => other !== key);
  while (others.length >= RESOLVE_CACHE_MAX_ENTRIES) await store.removeItem(others.shift() as string);
  for (;;) {
    try {
      await store.setItem(key, text);
      break;
    } catch (error) {
      // Full: make room by dropping what was used longest ago, until nothing of ours is left.
      const oldest = others.shift();
      if (oldest === undefined) {
        // An older version of this entry must not outlive the newer one that did not fit.
        await store.removeItem(key);
        throw error;
      }
      await store.removeItem(oldest);
    }
  }
  await store.setItem(USE_ORDER_KEY, JSON.stringify([...others, key]));
}
