import type { FetchLike, FlowManifest, ResolvedFlow, SvcConfig } from '@svc/core';
import { createLogger, ResolveCache, Resolver, resolveApiBaseUrl } from '@svc/core/internal';
import { createBrowserPlatform } from './host/browser-platform';

export type { FlowManifest, ResolvedFlow };

export interface ServerResolveOptions {
  /** As given to `SvcProvider` in the page; without `userId` there is no one to resolve for. */
  config: Pick<SvcConfig, 'publishableKey' | 'apiBaseUrl' | 'apiBaseURL' | 'locale' | 'appVersion' | 'fetcher'> & {
    userId: string;
  };
  channelId: string;
  /** Longest wait in ms. Default 10,000. */
  timeoutMs?: number;
  /**
   * A workspace API key with the scope `sdk:server`: a server that renders for many people is not held to the limit of
   * one address. It is a secret; read it from the server's environment.
   */
  serverKey?: string;
}

/**
 * Resolves a channel on a server, for `initialData` of `useFlow` and `Flow`. Nothing is kept between calls, so that
 * two requests share nothing.
 *
 * @throws SvcConfigError, SvcChannelRequiredError, SvcApiError, SvcNetworkError
 */
export async function resolveFlow({
  config,
  channelId,
  timeoutMs,
  serverKey,
}: ServerResolveOptions): Promise<ResolvedFlow> {
  const platform = createBrowserPlatform();
  const connection = {
    baseUrl: resolveApiBaseUrl(config),
    publishableKey: config.publishableKey,
    fetcher: withServerKey(config.fetcher ?? platform.fetch, serverKey),
  };
  const cache = new ResolveCache(() => null);
  const { flow } = await new Resolver(platform, connection, cache, createLogger(platform)).resolve(
    channelId,
    {
      identity: { appUserId: config.userId },
      platform: 'web',
      ...(config.locale ? { locale: config.locale } : {}),
      ...(config.appVersion ? { appVersion: config.appVersion } : {}),
    },
    timeoutMs === undefined ? {} : { loadTimeoutMs: timeoutMs },
  );
  return flow;
}

function withServerKey(fetcher: FetchLike, serverKey: string | undefined): FetchLike {
  if (!serverKey) return fetcher;
  return (url, init) => fetcher(url, { ...init, headers: { ...init.headers, 'x-svc-server-key': serverKey } });
}
