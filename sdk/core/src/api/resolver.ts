import { SvcApiError, SvcChannelRequiredError, SvcNetworkError } from '../errors';
import type { SdkLogger } from '../host/log';
import type { Platform } from '../host/platform';
import { backoffMs } from './backoff';
import { type ApiConnection, type ApiResponse, apiError, isRetryableStatus, send, withTimeout } from './http';
import { manifestResolveCacheKey, type ResolveCache, type ResolveCacheEntry } from './resolve-cache';
import { flowEtag, type Identity, parseResolvedFlow, type ResolvedFlow } from './types';

/** Longest wait for a flow when an older answer can be shown instead. */
export const LOAD_TIMEOUT_WITH_CACHE_MS = 3_000;
/** Longest wait for a flow when there is nothing to show. */
export const LOAD_TIMEOUT_MS = 10_000;
const RESOLVE_BACKOFF_BASE_MS = 300;
const RESOLVE_BACKOFF_MAX_MS = 3_000;

/** Where a flow came from. `stale` and `bundled` mean that the service could not be asked. */
export type ResolveSource = 'network' | 'revalidated' | 'stale' | 'bundled';
export interface ResolveResult {
  flow: ResolvedFlow;
  source: ResolveSource;
}
/** For whom and how to resolve. */
export interface ResolveSubject {
  identity: Identity;
  locale?: string;
  platform?: string;
  appVersion?: string;
}
export interface ResolveOptions {
  /** Replaces both default waits, in ms. */
  loadTimeoutMs?: number;
  /** Whole resolve answers by channel, shipped with the app. */
  bundled?: Readonly<Record<string, ResolvedFlow>>;
}

/** Asks the service what a channel serves, with one request in flight per channel, locale and person. */
export class Resolver {
  private readonly inFlight = new Map<string, Promise<ResolveResult>>();

  constructor(
    private readonly platform: Platform,
    private readonly connection: ApiConnection,
    private readonly cache: ResolveCache,
    private readonly logger: SdkLogger,
  ) {}

  cacheKey(channelId: string, subject: ResolveSubject): string {
    const { baseUrl, publishableKey } = this.connection;
    return manifestResolveCacheKey(baseUrl, publishableKey, channelId, subject.locale, subject.identity.appUserId);
  }

  /** What memory holds for the channel, so that a warm start needs no wait. */
  peek(channelId: string, subject: ResolveSubject): ResolvedFlow | undefined {
    return this.cache.peek(this.cacheKey(channelId, subject))?.body;
  }

  /**
   * Resolves a channel. An older answer for the same person stands in on network error, timeout, 429 and 5xx, and
   * never on another status; then the bundled answer of the channel does.
   *
   * @throws SvcChannelRequiredError for a blank channel id, without a request
   * @throws SvcApiError, SvcNetworkError when there is nothing to serve
   */
  async resolve(channelId: string, subject: ResolveSubject, options: ResolveOptions = {}): Promise<ResolveResult> {
    const channel = channelId.trim();
    if (channel === '') throw new SvcChannelRequiredError();
    const key = this.cacheKey(channel, subject);
    const cached = await this.cache.read(key);
    const limit = options.loadTimeoutMs ?? (cached ? LOAD_TIMEOUT_WITH_CACHE_MS : LOAD_TIMEOUT_MS);
    try {
      return await withTimeout(this.platform, this.request(channel, key, subject, cached, limit), limit);
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (cached) return { flow: cached.body, source: 'stale' };
      const bundled = options.bundled?.[channel];
      if (bundled) return { flow: bundled, source: 'bundled' };
      throw error;
    }
  }

  /** Fills the cache for one channel. Never throws, emits nothing. */
  async prefetch(channelId: string, subject: ResolveSubject): Promise<void> {
    try {
      await this.resolve(channelId, subject);
    } catch (error) {
      this.logger.debug(`prefetch of ${channelId} failed`, error);
    }
  }

  /** Fills the cache for every assigned channel with one request. Never throws, emits nothing. */
  async prefetchAll(subject: ResolveSubject): Promise<void> {
    try {
      const response = await send(this.platform, this.connection, {
        path: '/v1/sdk/resolve-all',
        body: requestBody(subject),
      });
      if (response.status !== 200) throw apiError(response);
      const channels = (response.body as { channels?: unknown } | undefined)?.channels;
      for (const entry of Array.isArray(channels) ? channels : []) {
        const flow = parseResolvedFlow(entry);
        // Entries of kinds that this version does not know are left out.
        if ('invalid' in flow) continue;
        const cachedAt = this.platform.now();
        await this.cache.write(this.cacheKey(flow.channelId, subject), { etag: flowEtag(flow), body: flow, cachedAt });
      }
    } catch (error) {
      this.logger.debug('prefetch of all channels failed', error);
    }
  }

  private request(
    channelId: string,
    key: string,
    subject: ResolveSubject,
    cached: ResolveCacheEntry | undefined,
    limitMs: number,
  ): Promise<ResolveResult> {
    const running = this.inFlight.get(key);
    if (running) return running;
    const request = this.attempt(channelId, key, subject, cached, this.platform.now() + limitMs).finally(() =>
      this.inFlight.delete(key),
    );
    // Whoever waits may have given up already; the answer still fills the cache.
    request.catch(() => undefined);
    this.inFlight.set(key, request);
    return request;
  }

  private async attempt(
    channelId: string,
    key: string,
    subject: ResolveSubject,
    cached: ResolveCacheEntry | undefined,
    deadline: number,
  ): Promise<ResolveResult> {
    for (let failures = 1; ; failures += 1) {
      let waitMs: number;
      try {
        const response = await send(this.platform, this.connection, {
          path: '/v1/sdk/resolve',
          body: requestBody(subject),
          channelId,
          ...(cached?.etag ? { etag: cached.etag } : {}),
        });
        if (!isRetryableStatus(response.status)) return await this.accept(key, response, cached);
        // With something to show there is no reason to keep the person waiting for a second try.
        if (cached) throw apiError(response);
        waitMs = response.retryAfterMs ?? this.backoff(failures);
        if (this.platform.now() + waitMs >= deadline) throw apiError(response);
      } catch (error) {
        if (!(error instanceof SvcNetworkError) || cached) throw error;
        waitMs = this.backoff(failures);
        if (this.platform.now() + waitMs >= deadline) throw error;
      }
      await new Promise<void>((resolve) => void this.platform.setTimeout(resolve, waitMs));
    }
  }

  private backoff(failures: number): number {
    return backoffMs(this.platform, failures, RESOLVE_BACKOFF_BASE_MS, RESOLVE_BACKOFF_MAX_MS);
  }

  private async accept(
    key: string,
    response: ApiResponse,
    cached: ResolveCacheEntry | undefined,
  ): Promise<ResolveResult> {
    if (response.status === 304) {
      if (!cached)
        throw new SvcApiError(304, 'not_modified_without_body', 'the service answered 304 but nothing is cached');
      return { flow: cached.body, source: 'revalidated' };
    }
    if (response.status !== 200) {
      if (response.status === 404 || response.status === 410) await this.cache.evict(key);
      throw apiError(response);
    }
    const flow = parseResolvedFlow(response.body);
    if ('invalid' in flow) throw new SvcApiError(200, 'invalid_response', `the answer has no usable ${flow.invalid}`);
    // Without a tag the service does not want it kept.
    if (response.etag) void this.cache.write(key, { etag: response.etag, body: flow, cachedAt: this.platform.now() });
    return { flow, source: 'network' };
  }
}

function requestBody({ identity, locale, platform, appVersion }: ResolveSubject): string {
  return JSON.stringify({ identity, context: { platform, locale, appVersion } });
}

/** Whether an error says nothing about the channel itself: then an older answer may be shown. */
function isOutage(error: unknown): boolean {
  return error instanceof SvcNetworkError || (error instanceof SvcApiError && isRetryableStatus(error.status));
}
