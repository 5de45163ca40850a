import type { PurchaseCommerce, SurfaceOutcome } from '@svc/core';

const OUTCOMES: Readonly<Record<string, SurfaceOutcome>> = {
  PURCHASED: 'purchase_completed',
  RESTORED: 'restore_completed',
  CANCELLED: 'purchase_cancelled',
  NOT_PRESENTED: 'dismissed',
};

/** The outcome that a result of RevenueCat's paywall amounts to (runtime.md §9.1). */
export function normalizeRcPaywallResult(result: unknown): SurfaceOutcome {
  return typeof result === 'string' && Object.prototype.hasOwnProperty.call(OUTCOMES, result)
    ? (OUTCOMES[result] as SurfaceOutcome)
    : 'failed';
}

/** The parts of RevenueCat's customer that a purchase is read from. */
export interface RevenueCatCustomerInfo {
  entitlements?: {
    active?: Record<string, { productIdentifier?: string; latestPurchaseDate?: string | null; periodType?: string }>;
  };
  activeSubscriptions?: readonly string[];
  subscriptionsByProductIdentifier?: Record<string, { periodType?: string }>;
  nonSubscriptionTransactions?: readonly { productIdentifier?: string; purchaseDate?: string }[];
}
export interface RevenueCatOffering {
  identifier: string;
  availablePackages?: readonly {
    identifier: string;
    product?: { identifier?: string; price?: number; currencyCode?: string };
  }[];
}
export interface RevenueCatOfferings {
  all?: Record<string, RevenueCatOffering>;
  current?: RevenueCatOffering | null;
}

interface Purchased {
  productId: string;
  periodType: string | undefined;
}

function newestEntitlement(customer: RevenueCatCustomerInfo): Purchased | undefined {
  let newest: (Purchased & { at: number }) | undefined;
  for (const entitlement of Object.values(customer.entitlements?.active ?? {})) {
    if (!entitlement.productIdentifier) continue;
    const at = Date.parse(entitlement.latestPurchaseDate ?? '') || 0;
    if (!newest || at > newest.at) {
      newest = { productId: entitlement.productIdentifier, periodType: entitlement.periodType, at };
    }
  }
  return newest;
}

/** What was bought: the newest entitlement, else the last subscription, else the last purchase for good. */
function purchased(customer: RevenueCatCustomerInfo): Purchased | undefined {
  const entitlement = newestEntitlement(customer);
  if (entitlement) return entitlement;
  const subscriptions = customer.activeSubscriptions ?? [];
  const productId =
    subscriptions[subscriptions.length - 1] ??
    customer.nonSubscriptionTransactions?.[customer.nonSubscriptionTransactions.length - 1]?.productIdentifier;
  if (!productId) return undefined;
  return { productId, periodType: customer.subscriptionsByProductIdentifier?.[productId]?.periodType };
}

function periodTypeOf(type: string | undefined): PurchaseCommerce['periodType'] {
  const upper = type?.toUpperCase() ?? '';
  if (upper === 'NORMAL') return 'normal';
  if (upper.startsWith('INTRO')) return 'intro';
  return upper === 'TRIAL' || upper === 'FREE_TRIAL' ? 'trial' : undefined;
}

/** Google's subscriptions are named `product:plan` in offerings and `product` in entitlements. */
function sameProduct(a: string | undefined, b: string): boolean {
  return a !== undefined && (a === b || a.split(':')[0] === b || a === b.split(':')[0]);
}

function findPackage(offerings: readonly RevenueCatOffering[], productId: string) {
  for (const offering of offerings) {
    const packages = offering.availablePackages ?? [];
    const found =
      packages.find(({ product }) => product?.identifier === productId) ??
      packages.find(({ product }) => sameProduct(product?.identifier, productId));
    if (found) return { offering, found };
  }
  return undefined;
}

/**
 * What a customer has just bought, with its price from the offering that sells it: the configured one, else the
 * current one, else any other (runtime.md §9.1). Null when no product can be named.
 */
export function extractRevenueCatPurchaseCommerce(input: {
  customerInfo: RevenueCatCustomerInfo | null | undefined;
  offerings?: RevenueCatOfferings | null;
  /** The configured offering. */
  offeringId?: string | undefined;
}): PurchaseCommerce | null {
  const bought = purchased(input.customerInfo ?? {});
  if (!bought) return null;
  const { offerings, offeringId } = input;
  const all = Object.values(offerings?.all ?? {});
  const configured = all.find((offering) => offering.identifier === offeringId);
  const ordered = [configured, offerings?.current, ...all].filter(
    (offering): offering is RevenueCatOffering => offering !== undefined && offering !== null,
  );
  const match = findPackage(ordered, bought.productId);
  const { price, currencyCode } = match?.found.product ?? {};
  const soldIn = match?.offering.identifier ?? offeringId;
  const periodType = periodTypeOf(bought.periodType);
  return {
    productId: bought.productId,
    ...(soldIn ? { offeringId: soldIn } : {}),
    ...(match ? { packageId: match.found.identifier } : {}),
    ...(price !== undefined && currencyCode ? { price, currency: currencyCode } : {}),
    ...(periodType ? { periodType } : {}),
  };
}
