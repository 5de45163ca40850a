import { SvcConfigError } from './errors';
import type { SdkAttributes } from './flow/responses';
import type { CustomProperties } from './flow/snapshot';
import type { FetchLike } from './host/platform';

/**
 * Host of the service when the config names none. Whoever publishes the packages for a hosted service changes it
 * here and nowhere else.
 */
export const DEFAULT_API_BASE_URL = 'https://api.svc.example';

export type SvcPlatform = 'web' | 'ios' | 'android';
export type AnalyticsConsent = 'pending' | 'granted' | 'denied';

export interface AnalyticsConfig {
  /** False keeps product analytics off, also after a grant. Default true. */
  enabled?: boolean;
  /** Web only; what the visitor decided so far. Default `pending`. */
  consent?: AnalyticsConsent;
}

/** Configuration of a provider. A config that is equal by value changes nothing, however often it is made anew. */
export interface SvcConfig {
  /** `ob_pk_test_…` or `ob_pk_live_…`, from the app's settings. */
  publishableKey: string;
  /** Base address of a self-hosted service, without `/v1`. Default {@link DEFAULT_API_BASE_URL}. */
  apiBaseUrl?: string;
  /** Another spelling of `apiBaseUrl`, which wins when both are set. */
  apiBaseURL?: string;
  /** Stable id of the person on this device. Default: an anonymous id that the SDK keeps. */
  userId?: string;
  /** Id of the person in the host's own system, added to events. */
  customUserId?: string;
  /** Host's id of this launch, added to flow events. */
  sessionId?: string;
  locale?: string;
  appVersion?: string;
  platform?: SvcPlatform;
  /** Values that decisions and conditional layers may read. */
  sdkAttributes?: SdkAttributes;
  /** Values for `{{ custom.key }}` in texts, also sent as context of flow events. */
  customProperties?: CustomProperties;
  /** Replaces the host's `fetch`. */
  fetcher?: FetchLike;
  analytics?: AnalyticsConfig;
  /** Longest wait for a flow in ms. Default 3,000 when one is cached, 10,000 when none is. */
  loadTimeoutMs?: number;
}

/** Base address of the REST API without a trailing slash. Throws `SvcConfigError` when it is no http(s) URL. */
export function resolveApiBaseUrl(config: Pick<SvcConfig, 'apiBaseUrl' | 'apiBaseURL'>): string {
  const url = (config.apiBaseUrl ?? config.apiBaseURL ?? DEFAULT_API_BASE_URL).trim().replace(/\/+$/, '');
  if (!/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/i.test(url)) {
    throw new SvcConfigError('apiBaseUrl', `must be an http or https URL without query, got "${url}"`);
  }
  return url;
}

/** Throws `SvcConfigError` when the key is missing or is no publishable key. */
export function checkPublishableKey(config: Pick<SvcConfig, 'publishableKey'>): void {
  const { publishableKey } = config;
  if (typeof publishableKey !== 'string' || publishableKey.trim() === '') {
    throw new SvcConfigError('publishableKey', 'is missing');
  }
  if (!/^ob_pk_(test|live)_\S+$/.test(publishableKey)) {
    throw new SvcConfigError('publishableKey', 'must start with ob_pk_test_ or ob_pk_live_');
  }
}
