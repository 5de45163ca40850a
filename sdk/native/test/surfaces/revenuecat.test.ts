import { presentSurface } from '../../src/surfaces/present-surface';
import { presentRevenueCatPaywall, RevenueCatModuleMissingError } from '../../src/surfaces/revenuecat';

const mockUi = { presentPaywall: jest.fn(), presentPaywallIfNeeded: jest.fn() };
const mockPurchases = {
  getOfferings: jest.fn(),
  getCurrentOfferingForPlacement: jest.fn(),
  getCustomerInfo: jest.fn(),
};
let mockInstalled = true;

jest.mock('react-native-purchases-ui', () => ({
  get default() {
    if (!mockInstalled) throw new Error('not linked');
    return mockUi;
  },
}));
jest.mock('react-native-purchases', () => ({ default: mockPurchases }));

const main = { identifier: 'main', availablePackages: [] };
const sale = { identifier: 'sale', availablePackages: [] };

beforeEach(() => {
  mockInstalled = true;
  mockUi.presentPaywall.mockReset().mockResolvedValue('CANCELLED');
  mockUi.presentPaywallIfNeeded.mockReset().mockResolvedValue('NOT_PRESENTED');
  mockPurchases.getOfferings.mockReset().mockResolvedValue({ all: { main, sale }, current: main });
  mockPurchases.getCurrentOfferingForPlacement.mockReset().mockResolvedValue(sale);
  mockPurchases.getCustomerInfo.mockReset().mockResolvedValue({
    entitlements: { active: { pro: { productIdentifier: 'month', periodType: 'TRIAL' } } },
  });
});

it('shows the configured offering, that of the placement, or the current one', async () => {
  await presentRevenueCatPaywall({ offeringId: ' sale ', placementId: 'x' });
  await presentRevenueCatPaywall({ placementId: 'start' });
  await presentRevenueCatPaywall();
  await presentRevenueCatPaywall({ offeringId: 'gone' });
  expect(mockUi.presentPaywall.mock.calls).toEqual([[{ offering: sale }], [{ offering: sale }], [{}], [{}]]);
  expect(mockPurchases.getCurrentOfferingForPlacement.mock.calls).toEqual([['start']]);
});

it('shows nothing to who has the entitlement, when asked to look', async () => {
  expect(await presentRevenueCatPaywall({ presentation: 'paywall_if_needed' })).toEqual({
    outcome: 'dismissed',
    sdkKeyPatch: { onb_rc_last_event: 'dismissed' },
  });
  await presentRevenueCatPaywall({ presentation: 'paywall_if_needed', offeringId: 'sale' });
  expect(mockUi.presentPaywallIfNeeded.mock.calls).toEqual([
    [{ requiredEntitlementIdentifier: 'pro' }],
    [{ requiredEntitlementIdentifier: 'sale', offering: sale }],
  ]);
});

it('tells what was bought, and leaves it for decisions', async () => {
  mockUi.presentPaywall.mockResolvedValue('PURCHASED');
  expect(await presentRevenueCatPaywall({ offeringId: 'sale' })).toEqual({
    outcome: 'purchase_completed',
    sdkKeyPatch: {
      onb_rc_last_event: 'purchase_completed',
      onb_rc_last_offering_id: 'sale',
      onb_rc_last_product_id: 'month',
      onb_rc_last_period_type: 'trial',
    },
    commerce: { productId: 'month', offeringId: 'sale', periodType: 'trial' },
  });
  mockPurchases.getCustomerInfo.mockRejectedValue(new Error('offline'));
  mockPurchases.getOfferings.mockRejectedValue(new Error('offline'));
  expect(await presentRevenueCatPaywall()).toEqual({
    outcome: 'purchase_completed',
    sdkKeyPatch: { onb_rc_last_event: 'purchase_completed' },
  });
});

it('throws what RevenueCat throws, and says when it is missing', async () => {
  mockUi.presentPaywall.mockRejectedValue(new Error('no store'));
  await expect(presentRevenueCatPaywall()).rejects.toThrow('no store');
  mockInstalled = false;
  const missing = await presentRevenueCatPaywall().catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(RevenueCatModuleMissingError);
  expect(missing).toMatchObject({
    code: 'revenuecat_module_missing',
    message: expect.stringContaining('purchases-ui'),
  });
});

it("takes from the app's settings what the author left open", async () => {
  const node = (config: object) => ({ id: 'surf_x', config: config as never, outcomes: {}, fallback: null });
  const settings = { revenuecat: { enabled: true, defaultOfferingId: 'sale', defaultPlacementId: 'start' } };
  await presentSurface(node({ provider: 'revenuecat' }), settings);
  await presentSurface(node({ provider: 'revenuecat', offeringId: 'main' }), settings);
  mockPurchases.getCurrentOfferingForPlacement.mockResolvedValue(null);
  await presentSurface(node({ provider: 'revenuecat', placementId: 'end' }), settings);
  expect(mockUi.presentPaywall.mock.calls).toEqual([[{ offering: sale }], [{ offering: main }], [{}]]);
  expect(mockPurchases.getCurrentOfferingForPlacement.mock.calls).toEqual([['end']]);
});

it.each(['stripe', 'unspecified'])('presents no surfaces of %s', async (provider) => {
  const node = { id: 'surf_x', config: { provider } as never, outcomes: {}, fallback: null };
  await expect(presentSurface(node, undefined)).rejects.toThrow(provider);
});
