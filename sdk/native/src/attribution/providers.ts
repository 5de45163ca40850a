import { loadAppsFlyer } from '../host/optional-modules';
import {
  APPSFLYER_PROVIDER_ID,
  normalizeAppsFlyerConversionPayload,
  normalizeAppsFlyerDeepLinkPayload,
} from './appsflyer-payload';
import type { AttributionSnapshot } from './snapshot';

/** Somebody who knows how the app was found. */
export interface AttributionProvider {
  /** Lower-case letters, digits, `_` and `-`. */
  id: string;
  /** Whether its native module is there; nothing is waited for otherwise. */
  isAvailable(): boolean;
  /** Begins to listen; returns the end of it. Snapshots may come at any time and more than once. */
  start(onSnapshot: (snapshot: AttributionSnapshot) => void): () => void;
}

type Listen = (callback: (payload: unknown) => void) => unknown;

interface AppsFlyerModule {
  onInstallConversionData?: Listen;
  onDeepLink?: Listen;
}

/** The flags around a payload, which AppsFlyer sets in places. */
function says(payload: unknown, field: 'status' | 'deepLinkStatus'): unknown {
  return (payload as Record<string, unknown> | null | undefined)?.[field];
}

/**
 * AppsFlyer as an attribution provider. The app starts AppsFlyer itself; this only listens. AppsFlyer tells about an
 * install once in a launch, so mount `SvcProvider` before `initSdk` is called.
 *
 * @param load finds the module; default: `react-native-appsflyer` when it is installed
 */
export function createAppsFlyerAttributionProvider(load: () => unknown = loadAppsFlyer): AttributionProvider {
  const find = () => {
    const module = load() as AppsFlyerModule | null;
    return typeof module?.onInstallConversionData === 'function' ? module : null;
  };
  return {
    id: APPSFLYER_PROVIDER_ID,
    isAvailable: () => find() !== null,
    start(onSnapshot) {
      const module = find();
      const pass = (snapshot: AttributionSnapshot | null) => {
        if (snapshot) onSnapshot(snapshot);
      };
      const ends = [
        module?.onInstallConversionData?.((payload) => {
          if (says(payload, 'status') !== 'failure') pass(normalizeAppsFlyerConversionPayload(payload));
        }),
        module?.onDeepLink?.((payload) => {
          // A link that was not found says nothing.
          const found = says(payload, 'deepLinkStatus') ?? 'FOUND';
          if (says(payload, 'status') !== 'failure' && found === 'FOUND')
            pass(normalizeAppsFlyerDeepLinkPayload(payload));
        }),
      ];
      return () => {
        for (const end of ends) if (typeof end === 'function') end();
      };
    },
  };
}

/** The providers of an app that names none. */
export function createDefaultAttributionProviders(): AttributionProvider[] {
  return [createAppsFlyerAttributionProvider()];
}
