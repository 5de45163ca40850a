import { type SdkAttributes, SvcError } from '@svc/core';
import { getSdkLogger, type SurfaceResult } from '@svc/react-core';
import { loadRevenueCat, loadRevenueCatUi } from '../host/optional-modules';
import {
  extractRevenueCatPurchaseCommerce,
  normalizeRcPaywallResult,
  type RevenueCatCustomerInfo,
  type RevenueCatOffering,
  type RevenueCatOfferings,
} from './revenuecat-result';

/** `react-native-purchases-ui` is not installed or not linked. */
export class RevenueCatModuleMissingError extends SvcError {
  constructor() {
    super('revenuecat_module_missing', 'RevenueCat paywalls need react-native-purchases and react-native-purchases-ui');
    this.name = 'RevenueCatModuleMissingError';
  }
}

/** Entitlement that `paywall_if_needed` looks for when no offering is named. */
const DEFAULT_ENTITLEMENT = 'pro';

export interface RevenueCatPaywallConfig {
  /** Default: the offering of the placement, else RevenueCat's current one. */
  offeringId?: string;
  placementId?: string;
  /** `paywall_if_needed` shows nothing to who has the entitlement already. Default `paywall`. */
  presentation?: 'paywall' | 'paywall_if_needed';
}

interface PaywallUi {
  presentPaywall(options: { offering?: RevenueCatOffering }): Promise<unknown>;
  presentPaywallIfNeeded(options: {
    requiredEntitlementIdentifier: string;
    offering?: RevenueCatOffering;
  }): Promise<unknown>;
}
interface PurchasesModule {
  getOfferings?(): Promise<RevenueCatOfferings>;
  getCurrentOfferingForPlacement?(placementId: string): Promise<RevenueCatOffering | null>;
  getCustomerInfo?(): Promise<RevenueCatCustomerInfo>;
}

async function attempt<T>(what: string, ask: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    getSdkLogger().warn(`RevenueCat: ${what} could not be read`, error);
    return undefined;
  }
}

/**
 * Shows RevenueCat's paywall and tells how it ended (runtime.md §9). The app configures RevenueCat itself.
 *
 * @throws RevenueCatModuleMissingError, and whatever RevenueCat throws
 */
export async function presentRevenueCatPaywall(config: RevenueCatPaywallConfig = {}): Promise<SurfaceResult> {
  const ui = loadRevenueCatUi() as PaywallUi | null;
  if (typeof ui?.presentPaywall !== 'function') throw new RevenueCatModuleMissingError();
  const purchases = loadRevenueCat() as PurchasesModule | null;
  const offeringId = config.offeringId?.trim() || undefined;
  const placementId = config.placementId?.trim() || undefined;
  const offerings = await attempt('offerings', () => purchases?.getOfferings?.());
  const chosen = offeringId
    ? offerings?.all?.[offeringId]
    : placementId && (await attempt('the placement', () => purchases?.getCurrentOfferingForPlacement?.(placementId)));
  if (offeringId && offerings && !chosen) {
    getSdkLogger().warn(`RevenueCat: there is no offering ${offeringId}; the current one is shown`);
  }
  const offering = chosen ? { offering: chosen } : {};
  const result =
    config.presentation === 'paywall_if_needed'
      ? await ui.presentPaywallIfNeeded({
          requiredEntitlementIdentifier: offeringId ?? DEFAULT_ENTITLEMENT,
          ...offering,
        })
      : await ui.presentPaywall(offering);
  const outcome = normalizeRcPaywallResult(result);
  const patch: SdkAttributes = { onb_rc_last_event: outcome };
  if (offeringId) patch.onb_rc_last_offering_id = offeringId;
  if (outcome !== 'purchase_completed') return { outcome, sdkKeyPatch: patch };
  const customerInfo = await attempt('the customer', () => purchases?.getCustomerInfo?.());
  const commerce = extractRevenueCatPurchaseCommerce({ customerInfo, offerings: offerings ?? null, offeringId });
  if (!commerce) return { outcome, sdkKeyPatch: patch };
  patch.onb_rc_last_product_id = commerce.productId;
  if (commerce.periodType) patch.onb_rc_last_period_type = commerce.periodType;
  return { outcome, sdkKeyPatch: patch, commerce };
}
