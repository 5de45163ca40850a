import type { SvcConfig } from '@svc/core';
import type { AttributionProvider } from '../attribution/providers';
import type { AsyncStorageLike } from '../host/device-storage';

/** How the app finds out where its people came from. */
export interface AttributionConfig {
  /** Default true: providers are listened to where their module is installed. */
  enabled?: boolean;
  /** Whether what they said stands in for them in later launches. Default true. */
  cache?: boolean;
  /** How long it does, in ms. Default 86,400,000 (a day). */
  cacheTtlMs?: number;
  /** Where it is kept: default the device's storage, null for nowhere. */
  storage?: Pick<AsyncStorageLike, 'getItem' | 'setItem'> | null;
  /** Default: AppsFlyer. Taken when the provider first renders. */
  providers?: readonly AttributionProvider[];
}

/** Configuration of an app's `SvcProvider`. */
export interface NativeSvcConfig extends SvcConfig {
  attribution?: AttributionConfig;
}
