import type { FlowManifest, SurfaceOutcome } from '@svc/core';
import type { PurchaseCommerce } from '@svc/core/run';
import type { Product } from '../port';

type Config = NonNullable<FlowManifest['externalSurfaceNodes']>[number]['config'];
type Report = { sdkKeyPatch?: Record<string, string>; commerce?: PurchaseCommerce };

/** What the SDK's paywalls of RevenueCat and Superwall tell of an outcome, where a product of theirs was bought. */
export function reportOf(config: Config, outcome: SurfaceOutcome, product: Product | undefined): Report {
  const bought = outcome === 'purchase_completed' && product?.id ? product : undefined;
  switch (config.provider) {
    case 'revenuecat':
      return {
        sdkKeyPatch: {
          onb_rc_last_event: outcome,
          ...(config.offeringId && { onb_rc_last_offering_id: config.offeringId }),
          ...(bought && { onb_rc_last_product_id: bought.id, onb_rc_last_period_type: 'normal' }),
        },
        ...(bought && { commerce: commerceOf(bought) }),
      };
    case 'superwall':
      return {
        sdkKeyPatch: {
          onb_sw_last_event: outcome,
          ...(config.placementId && { onb_sw_last_placement_id: config.placementId }),
          ...(bought && { onb_sw_last_product_id: bought.id }),
        },
        // Superwall tells no price.
        ...(bought && { commerce: { productId: bought.id } }),
      };
    default:
      return {};
  }
}

const commerceOf = ({ id, price, currency }: Product): PurchaseCommerce => ({
  productId: id,
  ...(price !== undefined && currency && { price, currency }),
});
