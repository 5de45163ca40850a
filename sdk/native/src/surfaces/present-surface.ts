import type { ExternalSurfaceNode, Integrations } from '@svc/core';
import type { SurfaceResult } from '@svc/react-core';
import { presentRevenueCatPaywall } from './revenuecat';
import { presentSuperwallPaywall } from './superwall';

/**
 * Presents a surface that belongs to an integration. What the author left open comes from the app's settings.
 * Rejects when it cannot be presented; the flow then goes its fallback way.
 */
export function presentSurface(
  { config }: ExternalSurfaceNode,
  integrations: Integrations | undefined,
): Promise<SurfaceResult> {
  switch (config.provider) {
    case 'revenuecat': {
      const { defaultOfferingId, defaultPlacementId } = integrations?.revenuecat ?? {};
      const offeringId = config.offeringId || (config.placementId ? '' : defaultOfferingId);
      const placementId = config.placementId || defaultPlacementId;
      return presentRevenueCatPaywall({
        ...(offeringId ? { offeringId } : {}),
        ...(placementId ? { placementId } : {}),
        ...(config.presentation ? { presentation: config.presentation } : {}),
      });
    }
    case 'superwall':
      return presentSuperwallPaywall({
        placementId: config.placementId || integrations?.superwall?.defaultPlacementId || '',
      });
    default:
      // Payments by link lead through a browser and come back to a page: apps have none (runtime.md §9).
      return Promise.reject(new Error(`apps cannot present surfaces of ${config.provider}`));
  }
}
