import type { AnalyticsConsent, SvcClient } from '@svc/core';
import { ModuleRelay } from '@svc/core/internal';
import { isServer } from '../host/environment';

/** Leads the module functions to the mounted provider. */
export const relay = new ModuleRelay<SvcClient>(() => Date.now(), isServer);

let lastConsentCall: AnalyticsConsent | undefined;

/** What `setAnalyticsConsent` was last called with in this page; a provider that mounts later begins with it. */
export function earlierConsent(): AnalyticsConsent | undefined {
  return lastConsentCall;
}

export function rememberConsent(value: AnalyticsConsent | undefined): void {
  if (!isServer()) lastConsentCall = value;
}
