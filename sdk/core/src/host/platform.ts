/**
 * Everything core needs from its host. Hermes has no `crypto`, `URL`, `TextEncoder` or `AbortController`, and
 * tests need a clock they can turn, so nothing here is reached through a global.
 */
export interface Platform {
  /** Cryptographically strong random bytes. */
  randomBytes(length: number): Uint8Array;
  /** Milliseconds since 1970, as `Date.now()`. */
  now(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  fetch: FetchLike;
  /** Makes requests cancellable; without it a timed-out request runs on unheard. */
  createAbort?(): { signal: unknown; abort(): void };
  /** Small values: identity, session, attribution. May throw; core then goes on in memory. */
  storage: KeyValueStore;
  /** Values that live as long as the tab, where the host has such a thing. */
  sessionStorage?: KeyValueStore;
  /** Large values: the resolve cache. `storage` when absent. */
  cacheStorage?: AsyncKeyValueStore;
  /** Parts of an absolute URL; null when it is none. */
  parseUrl(url: string): ParsedUrl | null;
  /** Whether this is a development build; `debug` logging needs one. */
  developmentBuild: boolean;
  /** Where log lines go. */
  console: { warn(...parts: unknown[]): void; debug(...parts: unknown[]): void };
}

/** The part of `fetch` that core uses. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  keepalive?: boolean;
  signal?: unknown;
}
export interface FetchResponse {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Synchronous, so that events recorded while a page goes away still see the session they belong to. */
export interface KeyValueStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  keys(): string[];
}

export type MaybePromise<T> = T | Promise<T>;
/** A store that may answer later; every `KeyValueStore` is one. */
export interface AsyncKeyValueStore {
  getItem(key: string): MaybePromise<string | null>;
  setItem(key: string, value: string): MaybePromise<void>;
  removeItem(key: string): MaybePromise<void>;
  keys(): MaybePromise<string[]>;
}

export interface ParsedUrl {
  /** With the colon, as `https:`. */
  protocol: string;
  /** With the port. */
  host: string;
  hostname: string;
  pathname: string;
  /** With the question mark, or empty. */
  search: string;
  /** With the number sign, or empty. */
  hash: string;
}
