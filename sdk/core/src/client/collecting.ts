import type { ConsentState } from '../analytics/consent';
import type { ProductAnalytics } from '../analytics/product';
import type { ResolveCache } from '../api/resolve-cache';
import type { KeyValueStore, Platform } from '../host/platform';
import type { EventDelivery } from './delivery';
import { removeOwnKeys } from './own-keys';
import type { Person } from './person';

export interface CollectingOptions {
  platform: Platform;
  consent: ConsentState;
  person: Person;
  cache: ResolveCache;
  delivery: EventDelivery;
  analytics: ProductAnalytics;
  /** Stores whose keys leave the device when consent is denied. */
  stores: KeyValueStore[];
  /** Whether consent and config allow product analytics. */
  collects(): boolean;
}

/** Starts and stops what keeps or collects data, as consent and config of now allow (interface.md §3.1). */
export class Collecting {
  constructor(private readonly options: CollectingOptions) {}

  /** Follows a change of consent. */
  followConsent(): void {
    const { platform, consent, person, cache, delivery, analytics, stores } = this.options;
    switch (consent.current) {
      case 'granted':
        // A stored id is adopted for product events; a run in progress keeps the one it began with.
        person.anonymous.persist();
        void cache.persist();
        if (this.options.collects()) analytics.startLate();
        break;
      case 'denied':
        analytics.discard();
        delivery.product.clear('consent_denied');
        person.anonymous.forgetStored();
        void removeOwnKeys(platform, stores, () => delivery.discardStored('consent_denied'));
        break;
      case 'pending':
        person.anonymous.forgetStored();
        this.followEnabled();
    }
    delivery.followPermission();
  }

  /** Follows a change of the config. */
  followEnabled(): void {
    const { analytics } = this.options;
    const collects = this.options.collects();
    if (collects === analytics.isCollecting) return;
    if (collects) analytics.start();
    else analytics.stop();
  }
}
