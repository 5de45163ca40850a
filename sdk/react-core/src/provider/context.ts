import type { EventQueue, SvcClient, SvcConfig } from '@svc/core';
import { createContext, useContext, useMemo } from 'react';
import type { HostClient } from '../host/host-client';

export interface SvcContextValue {
  /** The client behind the provider. */
  client: SvcClient;
  config: SvcConfig;
  /** The client with what its host adds. */
  host: HostClient;
  customUserId: string | undefined;
  setCustomUserId: (id?: string | null, proof?: string) => void;
}

export const SvcContext = /* @__PURE__ */ createContext<SvcContextValue | null>(null);

/** Everything the nearest `SvcProvider` offers. Throws outside of one. */
export function useSvcContext(): SvcContextValue {
  const value = useContext(SvcContext);
  if (!value) throw new Error('This needs a SvcProvider around it.');
  return value;
}

/** The provider's config. */
export function useSvc(): SvcConfig {
  return useSvcContext().config;
}

/** The person's id in the host's system, and its setter for when a sign-in resolves. */
export function useSvcCustomUserId(): Pick<SvcContextValue, 'customUserId' | 'setCustomUserId'> {
  const { customUserId, setCustomUserId } = useSvcContext();
  return useMemo(() => ({ customUserId, setCustomUserId }), [customUserId, setCustomUserId]);
}

/** Loads flows into the cache before they are shown. Never fails, records nothing. */
export function useSvcPrefetch(): { prefetch: (channelId: string) => Promise<void>; prefetchAll: () => Promise<void> } {
  const { client } = useSvcContext();
  return useMemo(
    () => ({ prefetch: (channelId) => client.prefetch(channelId), prefetchAll: () => client.prefetchAll() }),
    [client],
  );
}

/**
 * The queue of flow events. Runs fill it by themselves; what `buildSdkEvent` makes can be added with the channel it
 * belongs to.
 */
export function useEventQueue(): EventQueue {
  return useSvcContext().client.flowQueue;
}
