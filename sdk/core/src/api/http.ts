import {
  SvcApiError,
  SvcChannelArchivedError,
  SvcChannelNotFoundError,
  SvcChannelRequiredError,
  SvcNetworkError,
  SvcTimeoutError,
} from '../errors';
import type { FetchLike, FetchResponse, Platform } from '../host/platform';

/** A request without answer is given up after this long; it bounds sockets, not what a person waits. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** Longest `Retry-After` that is honored. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

export interface ApiConnection {
  baseUrl: string;
  publishableKey: string;
  fetcher: FetchLike;
}
export interface ApiRequest {
  path: string;
  /** JSON text. */
  body?: string;
  method?: 'POST' | 'GET';
  channelId?: string;
  etag?: string;
  /** Lets the request outlive the page, in the form that needs no preflight (wire.md §11). */
  keepalive?: boolean;
  timeoutMs?: number;
  /** Ends the request before its time; see {@link Cancellation}. */
  cancellation?: Cancellation;
}

/** Ends requests whose answer nobody waits for any more. They reject like requests that the network lost. */
export class Cancellation {
  private readonly endings = new Set<() => void>();
  private cancelled = false;

  get isCancelled(): boolean {
    return this.cancelled;
  }

  cancel(): void {
    this.cancelled = true;
    for (const end of [...this.endings]) end();
  }

  /** Calls back on `cancel`. Returns the removal. */
  onCancel(end: () => void): () => void {
    this.endings.add(end);
    return () => void this.endings.delete(end);
  }
}

export interface ApiResponse {
  status: number;
  etag: string | null;
  /** From `Retry-After`, in ms and capped; null when absent or unreadable. */
  retryAfterMs: number | null;
  /** Parsed body; undefined when there is none or it is not JSON. */
  body: unknown;
}

/**
 * Sends one request and returns whatever the service answered.
 *
 * @throws SvcNetworkError when there is no answer, SvcTimeoutError when it takes too long
 */
export async function send(platform: Platform, connection: ApiConnection, request: ApiRequest): Promise<ApiResponse> {
  const { path, headers } = request.keepalive ? beaconForm(connection, request) : plainForm(connection, request);
  const abort = platform.createAbort?.();
  const pending = connection.fetcher(connection.baseUrl + path, {
    method: request.method ?? 'POST',
    headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.keepalive ? { keepalive: true } : {}),
    ...(abort ? { signal: abort.signal } : {}),
  });
  const answer = pending.then((response) => readResponse(platform, response));
  const keep = request.cancellation?.onCancel(() => abort?.abort());
  try {
    return await withTimeout(platform, answer, request.timeoutMs ?? REQUEST_TIMEOUT_MS, () => abort?.abort());
  } catch (error) {
    if (error instanceof SvcNetworkError) throw error;
    throw new SvcNetworkError(error instanceof Error ? error.message : String(error));
  } finally {
    keep?.();
  }
}

interface RequestForm {
  path: string;
  headers: Record<string, string>;
}

function plainForm({ publishableKey }: ApiConnection, { path, body, channelId, etag }: ApiRequest): RequestForm {
  const headers: Record<string, string> = { authorization: `Bearer ${publishableKey}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (channelId !== undefined) headers['x-svc-channel'] = channelId;
  if (etag !== undefined) headers['if-none-match'] = etag;
  return { path, headers };
}

/**
 * Key and channel in the query, and a body that counts as text: headers of our own would make a browser ask first,
 * and a page that goes away may not live to hear the answer.
 */
function beaconForm({ publishableKey }: ApiConnection, { path, channelId }: ApiRequest): RequestForm {
  const channel = channelId === undefined ? '' : `&channel=${encodeURIComponent(channelId)}`;
  return {
    path: `${path}?key=${encodeURIComponent(publishableKey)}${channel}`,
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
  };
}

async function readResponse(platform: Platform, response: FetchResponse): Promise<ApiResponse> {
  const text = response.status === 304 ? '' : await response.text();
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), platform.now()),
    body: parseJson(text),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` in ms from now, from seconds or an HTTP date, at most five minutes. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : null;
}

/** Rejects with `SvcTimeoutError` when the promise is not settled in time. */
export function withTimeout<T>(
  platform: Pick<Platform, 'setTimeout' | 'clearTimeout'>,
  promise: Promise<T>,
  ms: number,
  onTimeout?: () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = platform.setTimeout(() => {
      reject(new SvcTimeoutError(ms));
      onTimeout?.();
    }, ms);
    promise.then(resolve, reject).finally(() => platform.clearTimeout(timer));
  });
}

/** Whether trying the same request again can help: no answer, 408, 421 (it came to the wrong server), 429 and 5xx. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 421 || status === 429 || status >= 500;
}

/** The error class of an answer that is not a success (wire.md §4). */
export function apiError(response: ApiResponse): SvcApiError {
  const { status } = response;
  const body = (typeof response.body === 'object' && response.body !== null ? response.body : {}) as {
    code?: unknown;
    error?: unknown;
    message?: unknown;
  };
  const given = typeof body.code === 'string' ? body.code : typeof body.error === 'string' ? body.error : undefined;
  const message = typeof body.message === 'string' ? body.message : `the service answered ${status}`;
  if (status === 400 && given === 'channel_required') return new SvcChannelRequiredError(message);
  if (status === 404) return new SvcChannelNotFoundError(given, message);
  if (status === 410) return new SvcChannelArchivedError(message);
  return new SvcApiError(status, given ?? `http_${status}`, message);
}
