import type { LoadingStrategy } from '../config';
import { SvcApiError, SvcChannelRequiredError, SvcNetworkError } from '../errors';
import type { SdkLogger } from '../host/log';
import type { Platform } from '../host/platform';
import { backoffMs } from './backoff';
import {
  type ApiConnection,
  type ApiResponse,
  apiError,
  Cancellation,
  isRetryableStatus,
  send,
  withTimeout,
} from './http';
import { manifestResolveCacheKey, type ResolveCache, type ResolveCacheEntry } from './resolve-cache';
import { flowEtag, type Identity, parseResolvedFlow, type ResolvedFlow } from './types';

/** Longest wait for a flow when an older answer can be shown instead. */
export const LOAD_TIMEOUT_WITH_CACHE_MS = 3_000;
/** Longest wait for a flow when there is nothing to show. */
export const LOAD_TIMEOUT_MS = 10_000;
const RESOLVE_BACKOFF_BASE_MS = 300;
const RESOLVE_BACKOFF_MAX_MS = 3_000;

/**
 * Where a flow came from. `cached` means that the service is being asked for the next time, `stale` and `bundled` that
 * it could not be asked.
 */
export type ResolveSource = 'network' | 'revalidated' | 'cached' | 'stale' | 'bundled';
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
  /** Default `network-first`. */
  loading?: LoadingStrategy;
  /** Whole resolve answers by channel, shipped with the app. */
  bundled?: Readonly<Record<string, ResolvedFlow>>;
}

/** A request under way, which everybody shares who asks for the same thing meanwhile. */
interface Flight {
  readonly answer: Promise<ResolveResult>;
  readonly cancellation: Cancellation;
  /** How many callers still wait for it. */
  waiting: number;
  /** Until when it may be tried again: the latest limit of its callers. */
  deadline: number;
}

/** Asks the service what a channel serves, with one request in flight per channel, locale and person. */
export class Resolver {
  private readonly flights = new Map<string, Flight>();
  /** Number of the last flight, and by key of the latest one whose answer was taken. */
  private lastFlight = 0;
  private readonly takenFlight = new Map<string, number>();

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
   * Resolves a channel. An older answer for the same person stands in on network error, timeout, 421, 429 and 5xx,
   * and never on another status; then the bundled answer of the channel does. A caller whose time is up leaves the
   * request for good: the next call sends a new one.
   *
   * @throws SvcChannelRequiredError for a blank channel id, without a request
   * @throws SvcApiError, SvcNetworkError when there is nothing to serve
   */
  async resolve(channelId: string, subject: ResolveSubject, options: ResolveOptions = {}): Promise<ResolveResult> {
    const channel = channelId.trim();
    if (channel === '') throw new SvcChannelRequiredError();
    const key = this.cacheKey(channel, subject);
    const cached = await this.cache.read(key);
    if (cached && options.loading === 'cache-first') {
      // For the next time; whoever asked has an answer.
      void this.prefetch(channel, subject);
      return { flow: cached.body, source: 'cached' };
    }
    const limit = options.loadTimeoutMs || (cached ? LOAD_TIMEOUT_WITH_CACHE_MS : LOAD_TIMEOUT_MS);
    try {
      return await this.join(channel, key, subject, cached, limit);
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

  /**
   * Asks for what a preview link shows, as it is now. Nothing is kept.
   *
   * @throws SvcApiError, SvcNetworkError
   */
  async preview(token: string, timeoutMs: number = LOAD_TIMEOUT_MS): Promise<ResolvedFlow> {
    const response = await send(this.platform, this.connection, {
      path: '/v1/sdk/preview',
      body: JSON.stringify({ token }),
      timeoutMs,
    });
    if (response.status !== 200) throw apiError(response);
    return { ...flowOf(response), preview: true };
  }

  private async join(
    channelId: string,
    key: string,
    subject: ResolveSubject,
    cached: ResolveCacheEntry | undefined,
    limitMs: number,
  ): Promise<ResolveResult> {
    const deadline = this.platform.now() + limitMs;
    const flight = this.flights.get(key) ?? this.takeOff(channelId, key, subject, cached);
    flight.waiting += 1;
    flight.deadline = Math.max(flight.deadline, deadline);
    try {
      return await withTimeout(this.platform, flight.answer, limitMs);
    } finally {
      flight.waiting -= 1;
      // A request that kept somebody waiting too long is joined by nobody else. Where an older answer is shown
      // instead it may still bring the next one; otherwise nothing would come of it.
      this.land(key, flight);
      if (flight.waiting === 0 && !cached) flight.cancellation.cancel();
    }
  }

  private takeOff(
    channelId: string,
    key: string,
    subject: ResolveSubject,
    cached: ResolveCacheEntry | undefined,
  ): Flight {
    this.lastFlight += 1;
    const number = this.lastFlight;
    const cancellation = new Cancellation();
    const request = { channelId, key, subject, cached, number, cancellation };
    const flight: Flight = {
      // One microtask later the flight is known, and its deadline.
      answer: Promise.resolve().then(() => this.attempt(request, flight)),
      cancellation,
      waiting: 0,
      deadline: 0,
    };
    flight.answer.then(
      () => this.land(key, flight),
      () => this.land(key, flight),
    );
    this.flights.set(key, flight);
    return flight;
  }

  private land(key: string, flight: Flight): void {
    if (this.flights.get(key) === flight) this.flights.delete(key);
  }

  private async attempt(request: FlightRequest, flight: Flight): Promise<ResolveResult> {
    const { channelId, subject, cached, cancellation } = request;
    for (let failures = 1; ; failures += 1) {
      let waitMs: number;
      try {
        const response = await send(this.platform, this.connection, {
          path: '/v1/sdk/resolve',
          body: requestBody(subject),
          channelId,
          cancellation,
          ...(cached?.etag ? { etag: cached.etag } : {}),
        });
        if (!isRetryableStatus(response.status)) return await this.accept(request, response);
        // With something to show there is no reason to keep the person waiting for a second try.
        if (cached) throw apiError(response);
        waitMs = response.retryAfterMs ?? this.backoff(failures);
        if (this.platform.now() + waitMs >= flight.deadline) throw apiError(response);
      } catch (error) {
        if (!(error instanceof SvcNetworkError) || cached || cancellation.isCancelled) throw error;
        waitMs = this.backoff(failures);
        if (this.platform.now() + waitMs >= flight.deadline) throw error;
      }
      await new Promise<void>((resolve) => void this.platform.setTimeout(resolve, waitMs));
    }
  }

  private backoff(failures: number): number {
    return backoffMs(this.platform, failures, RESOLVE_BACKOFF_BASE_MS, RESOLVE_BACKOFF_MAX_MS);
  }

  private async accept({ key, cached, number }: FlightRequest, response: ApiResponse): Promise<ResolveResult> {
    if (response.status === 304) {
      if (!cached) throw new SvcApiError(304, 'not_modified_without_body', '304, nothing cached');
      return { flow: cached.body, source: 'revalidated' };
    }
    // Requests can overtake each other: an answer that is older than the one taken last changes nothing.
    const isLatest = number >= (this.takenFlight.get(key) ?? 0);
    if (isLatest) this.takenFlight.set(key, number);
    if (response.status !== 200) {
      if (isLatest && (response.status === 404 || response.status === 410)) await this.cache.evict(key);
      throw apiError(response);
    }
    const flow = flowOf(response);
    // Without a tag the service does not want it kept.
    if (response.etag && isLatest) {
      void this.cache.write(key, { etag: response.etag, body: flow, cachedAt: this.platform.now() });
    }
    return { flow, source: 'network' };
  }
}

/** What a flight asks for. */
interface FlightRequest {
  channelId: string;
  key: string;
  subject: ResolveSubject;
  cached: ResolveCacheEntry | undefined;
  /** Flights are numbered in the order of their requests. */
  number: number;
  cancellation: Cancellation;
}

/** The flow of an answer with status 200. */
function flowOf({ body }: ApiResponse): ResolvedFlow {
  // A network that wants a sign-in first answers everything with a page of its own.
  if (body === undefined) throw new SvcNetworkError('the answer is not JSON', 'invalid_response');
  const flow = parseResolvedFlow(body);
  if ('invalid' in flow) throw new SvcApiError(200, 'invalid_response', `the answer has no usable ${flow.invalid}`);
  return flow;
}

function requestBody({ identity, locale, platform, appVersion }: ResolveSubject): string {
  return JSON.stringify({ identity, context: { platform, locale, appVersion } });
}

/** Whether an error says nothing about the channel itself: then an older answer may be shown. */
function isOutage(error: unknown): boolean {
  return error instanceof SvcNetworkError || (error instanceof SvcApiError && isRetryableStatus(error.status));
}
