import { presentSurface } from '../../src/surfaces/present-surface';
import { presentSuperwallPaywall, SuperwallModuleMissingError } from '../../src/surfaces/superwall';

type Listener = (...args: unknown[]) => void;

/** Keeps what it is told to listen to, as Superwall's own handler does. */
class mockHandler {
  static last: mockHandler | null = null;
  readonly on: Record<string, Listener> = {};
  constructor() {
    mockHandler.last = this;
  }
  onPresent(listener: Listener): void {
    this.on.present = listener;
  }
  onDismiss(listener: Listener): void {
    this.on.dismiss = listener;
  }
  onSkip(listener: Listener): void {
    this.on.skip = listener;
  }
  onError(listener: Listener): void {
    this.on.error = listener;
  }
}

interface Registration {
  placement: string;
  handler: mockHandler;
  feature: () => void;
}

const mockRegister = jest.fn();
/** Which package carries the API. */
let mockPackage = 'main';
const mockApi = () => ({ default: { shared: { register: mockRegister } }, PaywallPresentationHandler: mockHandler });

jest.mock('@superwall/react-native-superwall', () => (mockPackage === 'main' ? mockApi() : {}), { virtual: true });
jest.mock(
  'expo-superwall/compat',
  () => {
    if (mockPackage !== 'compat') throw new Error('not installed');
    return mockApi();
  },
  { virtual: true },
);
jest.mock('expo-superwall', () => ({ SuperwallProvider: () => null }), { virtual: true });

/** Presents a placement; the registration does what the test says. */
async function present(script: (registration: Registration) => unknown) {
  mockRegister.mockImplementation(async (registration: Registration) => script(registration));
  const presented = presentSuperwallPaywall({ placementId: ' start ' }).then(
    (result) => result,
    (error: Error) => error.message,
  );
  await jest.advanceTimersByTimeAsync(2_000);
  return presented;
}

const patch = (outcome: string) => ({ onb_sw_last_event: outcome, onb_sw_last_placement_id: 'start' });

beforeEach(() => {
  jest.useFakeTimers();
  jest.resetModules();
  mockPackage = 'main';
  mockRegister.mockReset();
});
afterEach(() => {
  jest.useRealTimers();
});

it('tells how a paywall was dismissed, and what was bought', async () => {
  const result = await present(({ placement, handler }) => {
    expect(placement).toBe('start');
    handler.on.present?.();
    handler.on.dismiss?.({}, { type: 'purchased', productId: 'month' });
  });
  expect(result).toEqual({
    outcome: 'purchase_completed',
    sdkKeyPatch: { ...patch('purchase_completed'), onb_sw_last_product_id: 'month' },
    commerce: { productId: 'month' },
  });
  expect(await present(({ handler }) => handler.on.dismiss?.({}, { type: 'declined' }))).toEqual({
    outcome: 'purchase_cancelled',
    sdkKeyPatch: patch('purchase_cancelled'),
  });
});

it.each([
  ['a skip', (registration: Registration) => registration.handler.on.skip?.({})],
  ['a feature that is unlocked', (registration: Registration) => registration.feature()],
  ['a registration that ends without a word', () => undefined],
])('takes %s as dismissed', async (_, script) => {
  expect(await present(script)).toEqual({ outcome: 'dismissed', sdkKeyPatch: patch('dismissed') });
});

it('takes the first signal, and one that is just behind the end of the registration', async () => {
  const first = await present(({ handler }) => {
    handler.on.dismiss?.({}, { type: 'restored' });
    handler.on.dismiss?.({}, { type: 'purchased', productId: 'late' });
    handler.on.error?.('late');
  });
  expect(first).toMatchObject({ outcome: 'restore_completed' });
  const late = await present(({ handler }) => {
    setTimeout(() => handler.on.dismiss?.({}, { type: 'purchased', productId: 'p' }), 300);
  });
  expect(late).toMatchObject({ outcome: 'purchase_completed' });
  const unlocked = await present(({ handler, feature }) => {
    handler.on.present?.();
    feature();
    setTimeout(() => handler.on.dismiss?.({}, { type: 'purchased', productId: 'p' }), 10);
  });
  expect(unlocked).toMatchObject({ outcome: 'purchase_completed' });
});

it('waits for as long as a paywall is open', async () => {
  let settled = false;
  mockRegister.mockImplementation(async ({ handler }: Registration) => handler.on.present?.());
  const presented = presentSuperwallPaywall({ placementId: 'start' }).then((result) => {
    settled = true;
    return result;
  });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(settled).toBe(false);
  mockHandler.last?.on.dismiss?.({}, { type: 'declined' });
  expect(await presented).toMatchObject({ outcome: 'purchase_cancelled' });
});

it('fails on errors, blank placements and refused registrations', async () => {
  expect(await present(({ handler }) => handler.on.error?.('no products'))).toBe('no products');
  expect(await present(() => Promise.reject(new Error('not configured')))).toBe('not configured');
  await expect(presentSuperwallPaywall({ placementId: '  ' })).rejects.toMatchObject({
    code: 'superwall_placement_missing',
  });
});

it('finds the API in the package that has it, and says when none has', async () => {
  mockPackage = 'compat';
  expect(await present(({ handler }) => handler.on.skip?.({}))).toMatchObject({ outcome: 'dismissed' });
  mockPackage = 'none';
  jest.resetModules();
  const missing = await presentSuperwallPaywall({ placementId: 'start' }).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(SuperwallModuleMissingError);
});

it("takes the placement of the app's settings when the author left it open", async () => {
  mockRegister.mockImplementation(async ({ handler }: Registration) => handler.on.skip?.({}));
  const node = { id: 'surf_x', config: { provider: 'superwall' as const }, outcomes: {}, fallback: null };
  const settings = { superwall: { enabled: true, defaultPlacementId: 'everywhere' } };
  expect((await presentSurface(node, settings)).sdkKeyPatch).toMatchObject({ onb_sw_last_placement_id: 'everywhere' });
  await expect(presentSurface(node, undefined)).rejects.toMatchObject({ code: 'superwall_placement_missing' });
});
