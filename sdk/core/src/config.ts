import { SvcConfigError } from './errors';
import type { FetchLike } from './host/platform';
import type { AppAttributes, AppCustomProperties } from './types';

/**
 * Host of the service when the config names none. Whoever publishes the packages for a hosted service changes it
 * here and nowhere else.
 */
export const DEFAULT_API_BASE_URL = 'https://api.svc.example';

export type SvcPlatform = 'web' | 'ios' | 'android';
export type AnalyticsConsent = 'pending' | 'granted' | 'denied';

/** A palette, or the one that the device is set to. */
export type ThemePreference = 'light' | 'dark' | 'system';
/** Where undelivered events wait: until the page or app ends, or on the device until they are stored. */
export type EventPersistence = 'memory' | 'device';
/** Which answer a flow starts with: the service's, or at once the one that is cached. */
export type LoadingStrategy = 'network-first' | 'cache-first';

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
  /** What your own server made of `customUserId`, for apps that have it proved. */
  customUserIdProof?: string;
  /** Host's id of this launch, added to flow events. */
  sessionId?: string;
  locale?: string;
  appVersion?: string;
  platform?: SvcPlatform;
  /** Values that decisions and conditional layers may read. */
  sdkAttributes?: AppAttributes;
  /** Values for `{{ custom.key }}` in texts, also sent as context of flow events. */
  customProperties?: AppCustomProperties;
  /** Replaces the host's `fetch`. */
  fetcher?: FetchLike;
  analytics?: AnalyticsConfig;
  /** Longest wait for a flow in ms. Default 3,000 when one is cached, 10,000 when none is. */
  loadTimeoutMs?: number;
  /**
   * What a flow starts with. `network-first` waits for the service, at most `loadTimeoutMs`, and shows a cached flow
   * when it does not answer; `cache-first` shows the person's cached flow at once and asks the service for the next
   * time. Default `network-first`.
   */
  loading?: LoadingStrategy;
  /**
   * Where undelivered events wait. `memory` loses them with the page or the app; with `device` they are sent at the
   * next start, at most 2,000 of them and 1 MiB. On the web nothing is kept before consent. Default `memory`.
   */
  persistence?: EventPersistence;
  /** Palette of flows that name none. Default `light`. */
  theme?: ThemePreference;
}

/**
 * Base address of the REST API without a trailing slash. Blank addresses count as absent.
 *
 * @throws SvcConfigError when it is no http(s) URL
 */
export function resolveApiBaseUrl(config: Pick<SvcConfig, 'apiBaseUrl' | 'apiBaseURL'>): string {
  const given = [config.apiBaseUrl, config.apiBaseURL].map((url) => url ?? '');
  for (const url of given) if (typeof url !== 'string') throw new SvcConfigError('apiBaseUrl', 'must be a string');
  const url = (given.find((text) => text.trim() !== '') ?? DEFAULT_API_BASE_URL).trim().replace(/\/+$/, '');
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

const TEXTS = ['userId', 'customUserId', 'customUserIdProof', 'sessionId', 'locale', 'appVersion'] as const;
const CHOICES = {
  platform: ['web', 'ios', 'android'],
  loading: ['network-first', 'cache-first'],
  persistence: ['memory', 'device'],
  theme: ['light', 'dark', 'system'],
} as const;

/**
 * Finds what of a config cannot work, whatever a host without types may have put there. Null and undefined are both
 * "not set", so that `user?.id` can be passed on as it is.
 */
export function findConfigError(config: SvcConfig): SvcConfigError | null {
  try {
    if (typeof config !== 'object' || config === null) throw new SvcConfigError('config', 'is missing');
    checkPublishableKey(config);
    resolveApiBaseUrl(config);
    for (const field of TEXTS) {
      const value: unknown = config[field];
      if (value !== undefined && value !== null && typeof value !== 'string')
        throw new SvcConfigError(field, `must be a string, got a ${typeof value}`);
    }
    for (const [field, choices] of Object.entries(CHOICES)) {
      const value: unknown = config[field as keyof typeof CHOICES];
      if (value !== undefined && value !== null && !(choices as readonly unknown[]).includes(value))
        throw new SvcConfigError(field, `must be one of ${choices.join(', ')}`);
    }
    const { loadTimeoutMs } = config;
    if (loadTimeoutMs !== undefined && loadTimeoutMs !== null && !(Number(loadTimeoutMs) > 0))
      throw new SvcConfigError('loadTimeoutMs', 'must be a positive number of milliseconds');
    return null;
  } catch (error) {
    return error as SvcConfigError;
  }
}
