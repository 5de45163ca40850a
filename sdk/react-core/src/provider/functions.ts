import type {
  AppEventArguments,
  AppEventName,
  AppEvents,
  EventProperties,
  IdentifyInput,
  IdentifyResult,
} from '@svc/core';
import { isDevelopmentBuild, isServer } from '../host/environment';
import { relay, rememberConsent } from './relay';

// Functions for code outside of components. Until a provider is mounted up to 100 calls are kept; on a server they
// do nothing.

/**
 * Records a custom product event. Names have 1 to 120 characters; properties of more than 32,768 are left out.
 * Nothing is recorded before consent.
 */
export function logEvent<Name extends AppEventName>(name: Name, ...[properties]: AppEventArguments<Name>): void {
  relay.run((client, at) => client.logEvent(name, properties as EventProperties | undefined, at));
}

/** Records a `screen_view`, for views that are no pages of their own. Names are clipped to 200 characters. */
export function screen(name: string, properties?: EventProperties): void {
  relay.run((client, at) => client.screen(name, properties, at));
}

/**
 * Sets the id that the person has in the app's own system, for later events; null takes it away. Who a flow is served
 * to is `userId` of the config. The proof is what your own server made of the id, for apps that have it proved.
 */
export function setCustomUserId(id: string | null, proof?: string): void {
  relay.run((client) => client.setCustomUserId(id, proof));
}

/** @deprecated Another name of {@link setCustomUserId}. It does not set `userId` of the config. */
export function setUserId(id: string | null): void {
  setCustomUserId(id);
}

/** Passes on what the visitor decided about analytics. A call before the provider mounts is kept. */
export function setAnalyticsConsent(value: 'granted' | 'denied'): void {
  rememberConsent(value);
  relay.run((client) => client.setAnalyticsConsent(value));
}

/** What {@link track} sends. */
export interface TrackInput<Name extends AppEventName = AppEventName> {
  /** 1 to 120 characters. */
  name: Name;
  /** At most 32,768 characters of JSON; larger ones are left out. */
  properties?: AppEvents[Name];
}

/**
 * Sends an event that may start automations. It does not appear in the reports: that is what {@link logEvent} is for,
 * which takes its name alone so that the two are not mistaken for each other.
 */
export function track<Name extends AppEventName>(event: TrackInput<Name>): void {
  const { name, properties } = event;
  if (isDevelopmentBuild() && typeof event === 'string')
    throw new TypeError('track takes {name, properties}; logEvent(name, properties) records an event for the reports');
  relay.run((client, at) => client.track(name, properties as EventProperties | undefined, at));
}

/**
 * Tells the service who the visitor is. Resolves to null on a server.
 *
 * @throws SvcApiError, SvcNetworkError
 */
export function identify(input: IdentifyInput): Promise<IdentifyResult | null> {
  if (isServer()) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    relay.run((client) => void client.identify(input).then(resolve, reject));
  });
}

/** Links the visitor to an id of a billing provider. Fire and forget. */
export function setBillingIdentity(provider: 'revenuecat' | 'superwall', externalId: string): void {
  relay.run((client) => client.setBillingIdentity(provider, externalId));
}

/** Starts over as somebody new, after a sign-out. */
export function reset(): void {
  relay.run((client) => client.reset());
}

/** Loads a channel's flow into the cache. Never fails, records nothing. */
export function prefetch(channelId: string): void {
  relay.run((client) => void client.prefetch(channelId));
}

/** Loads the flows of all channels into the cache with one request. Never fails, records nothing. */
export function prefetchAll(): void {
  relay.run((client) => void client.prefetchAll());
}
