import { extractRevenueCatPurchaseCommerce, normalizeRcPaywallResult } from '../../src/surfaces/revenuecat-result';
import { normalizeSuperwallResult } from '../../src/surfaces/superwall';

it.each([
  ['PURCHASED', 'purchase_completed'],
  ['RESTORED', 'restore_completed'],
  ['CANCELLED', 'purchase_cancelled'],
  ['NOT_PRESENTED', 'dismissed'],
  ['ERROR', 'failed'],
  ['SOMETHING', 'failed'],
  ['constructor', 'failed'],
  [undefined, 'failed'],
  [1, 'failed'],
])('takes the RevenueCat result %p as %s', (result, outcome) => {
  expect(normalizeRcPaywallResult(result)).toBe(outcome);
});

it.each([
  ['purchased', 'purchase_completed'],
  ['purchase', 'purchase_completed'],
  ['purchase_completed', 'purchase_completed'],
  ['restored', 'restore_completed'],
  ['restore', 'restore_completed'],
  ['restore_completed', 'restore_completed'],
  ['declined', 'purchase_cancelled'],
  ['cancelled', 'purchase_cancelled'],
  ['canceled', 'purchase_cancelled'],
  ['purchase_cancelled', 'purchase_cancelled'],
  ['closed', 'dismissed'],
  ['toString', 'dismissed'],
  [undefined, 'dismissed'],
  [null, 'dismissed'],
])('takes the Superwall result %p as %s', (type, outcome) => {
  expect(normalizeSuperwallResult(type)).toEqual({ outcome });
  expect(normalizeSuperwallResult({ type })).toEqual({ outcome });
});

it("names Superwall's product after a purchase only", () => {
  expect(normalizeSuperwallResult({ type: 'purchased', productId: 'p' })).toEqual({
    outcome: 'purchase_completed',
    productId: 'p',
  });
  expect(normalizeSuperwallResult({ type: 'purchased', product: { id: 'q' } }).productId).toBe('q');
  expect(normalizeSuperwallResult({ type: 'restored', productId: 'p' })).toEqual({ outcome: 'restore_completed' });
});

describe("RevenueCat's purchases", () => {
  const pack = (identifier: string, product: string, price: number) => ({
    identifier,
    product: { identifier: product, price, currencyCode: 'EUR' },
  });
  const offerings = {
    all: {
      main: { identifier: 'main', availablePackages: [pack('$monthly', 'month', 5)] },
      sale: { identifier: 'sale', availablePackages: [pack('$cheap', 'month', 3), pack('$year', 'sub:year', 30)] },
    },
    current: { identifier: 'main', availablePackages: [pack('$monthly', 'month', 5)] },
  };

  it('are the newest entitlement, priced by the configured offering, else the current one', () => {
    const customerInfo = {
      entitlements: {
        active: {
          old: { productIdentifier: 'week', latestPurchaseDate: '2026-01-01T00:00:00Z', periodType: 'NORMAL' },
          pro: { productIdentifier: 'month', latestPurchaseDate: '2026-11-20T00:00:00Z', periodType: 'TRIAL' },
        },
      },
      activeSubscriptions: ['week'],
    };
    const extract = (offeringId?: string) => extractRevenueCatPurchaseCommerce({ customerInfo, offerings, offeringId });
    const bought = { productId: 'month', currency: 'EUR', periodType: 'trial' };
    expect(extract('sale')).toEqual({ ...bought, offeringId: 'sale', packageId: '$cheap', price: 3 });
    expect(extract()).toEqual({ ...bought, offeringId: 'main', packageId: '$monthly', price: 5 });
    expect(extract('unknown')?.offeringId).toBe('main');
  });

  it("are the last subscription, else the last purchase for good, and know Google's names of plans", () => {
    expect(
      extractRevenueCatPurchaseCommerce({
        customerInfo: {
          activeSubscriptions: ['week', 'sub'],
          subscriptionsByProductIdentifier: { sub: { periodType: 'INTRO_PRICE' } },
        },
        offerings,
      }),
    ).toEqual({
      productId: 'sub',
      offeringId: 'sale',
      packageId: '$year',
      price: 30,
      currency: 'EUR',
      periodType: 'intro',
    });
    expect(
      extractRevenueCatPurchaseCommerce({
        customerInfo: { nonSubscriptionTransactions: [{ productIdentifier: 'a' }, { productIdentifier: 'b' }] },
        offeringId: 'main',
      }),
    ).toEqual({ productId: 'b', offeringId: 'main' });
  });

  it.each([
    ['NORMAL', 'normal'],
    ['normal', 'normal'],
    ['INTRO', 'intro'],
    ['TRIAL', 'trial'],
    ['FREE_TRIAL', 'trial'],
    ['PREPAID', undefined],
    [undefined, undefined],
  ])('have the period %p as %p', (periodType, expected) => {
    const customerInfo = {
      entitlements: { active: { pro: { productIdentifier: 'p', ...(periodType ? { periodType } : {}) } } },
    };
    expect(extractRevenueCatPurchaseCommerce({ customerInfo })?.periodType).toBe(expected);
  });

  it('are none when no product can be named', () => {
    for (const customerInfo of [
      null,
      undefined,
      {},
      { activeSubscriptions: [] },
      { entitlements: { active: { a: {} } } },
    ]) {
      expect(extractRevenueCatPurchaseCommerce({ customerInfo, offerings })).toBeNull();
    }
  });
});
