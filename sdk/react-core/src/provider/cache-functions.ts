import type { ResolveCacheSummary, ResolvedFlow } from '@svc/core';
import { relay } from './relay';

// What the mounted provider keeps of resolve answers. Without a provider there is nothing.

/** What memory holds of a channel for the person of now. */
export function peekManifestResolveCache(channelId: string): ResolvedFlow | undefined {
  return relay.attached?.peek(channelId);
}

/** Summaries of everything that is kept, newest first. */
export function listManifestResolveCacheEntries(): Promise<ResolveCacheSummary[]> {
  return relay.attached?.cache.list() ?? Promise.resolve([]);
}

/** Forgets all resolve answers and tells how many there were. Runs in progress go on. */
export function clearManifestResolveCache(): Promise<number> {
  return relay.attached?.cache.clear() ?? Promise.resolve(0);
}

/**
 * Asks the service what a channel serves, without starting a run.
 *
 * @throws SvcApiError, SvcNetworkError, and an error when no provider is mounted
 */
export async function resolveManifest(channelId: string): Promise<ResolvedFlow> {
  const client = relay.attached;
  if (!client) throw new Error('resolveManifest needs a mounted SvcProvider.');
  return (await client.resolve(channelId)).flow;
}
