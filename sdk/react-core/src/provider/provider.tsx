import type { AnalyticsConfig, ResolvedFlow, SdkLogLevel, SvcClient, SvcConfig } from '@svc/core';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { HostClientFactory, ProviderCallbacks } from '../host/host-client';
import { useIsomorphicLayoutEffect } from '../renderer/isomorphic-effect';
import { SvcContext } from './context';
import { registeredLogLevel } from './logging';

export interface SvcProviderProps extends ProviderCallbacks {
  config: SvcConfig;
  /** Flows to load into the cache at mount: those of all channels, or of these. */
  prefetch?: 'all' | readonly string[];
  /** Default: what `registerSdkLogLevel` was given, else `silent`. */
  logLevel?: SdkLogLevel;
  /** Wins over `config.analytics`. */
  analytics?: AnalyticsConfig;
  /** Resolve answers by channel for when the service cannot be reached and nothing is cached. */
  fallbacks?: Readonly<Record<string, ResolvedFlow>>;
  children?: ReactNode;
}

/** The provider of every platform: each names the factory of its clients, which must stay the same. */
export function BaseProvider({ makeClient, ...props }: SvcProviderProps & { makeClient: HostClientFactory }) {
  const { prefetch, logLevel, analytics, fallbacks, onError, onEvent, children } = props;
  const config = useMemo<SvcConfig>(
    () => (analytics ? { ...props.config, analytics: { ...props.config.analytics, ...analytics } } : props.config),
    [props.config, analytics],
  );
  const make = () =>
    makeClient(config, { logLevel: logLevel ?? registeredLogLevel(), ...(fallbacks ? { bundled: fallbacks } : {}) });
  const [held, setHeld] = useState(make);
  let host = held;
  if (!held.client.servesConfig(config)) {
    host = make();
    setHeld(host);
  }
  const { client } = host;
  const [, setRevision] = useState(0);

  useIsomorphicLayoutEffect(() => {
    host.callbacks = { ...(onError ? { onError } : {}), ...(onEvent ? { onEvent } : {}) };
  });
  useEffect(() => {
    host.mount();
    return () => host.unmount();
  }, [host]);

  // In production a config may be missing altogether; the client then does nothing.
  const known = config ?? client.currentConfig;
  const { locale, userId } = known;
  const wanted = prefetch === undefined ? '' : JSON.stringify(prefetch);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another locale or person has other flows to load
  useEffect(() => {
    if (wanted === '') return;
    const channels = JSON.parse(wanted) as 'all' | string[];
    if (channels === 'all') void client.prefetchAll();
    else for (const channelId of channels) void client.prefetch(channelId);
  }, [client, wanted, locale, userId]);

  const setCustomUserId = useCallback(
    (id?: string | null, proof?: string) => {
      client.setCustomUserId(id, proof);
      setRevision((revision) => revision + 1);
    },
    [client],
  );
  const customUserId = client.currentCustomUserId;
  const value = useMemo(
    () => ({ client, host, config: known, customUserId, setCustomUserId }),
    [client, host, known, customUserId, setCustomUserId],
  );
  return (
    <SvcContext.Provider value={value}>
      <ConfigSync client={client} config={config} />
      {children}
    </SvcContext.Provider>
  );
}

/**
 * Hands the rendered config to the client. As the first child its effect runs before those of all flows, so that
 * none of them starts for the person of the render before.
 */
function ConfigSync({ client, config }: { client: SvcClient; config: SvcConfig }) {
  useIsomorphicLayoutEffect(() => client.updateConfig(config), [client, config]);
  return null;
}
