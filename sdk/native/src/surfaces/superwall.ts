import { type SdkAttributes, type SurfaceOutcome, SvcError } from '@svc/core';
import type { SurfaceResult } from '@svc/react-core';
import { SUPERWALL_MODULES } from '../host/optional-modules';

/** None of the packages that carry Superwall's API is installed. */
export class SuperwallModuleMissingError extends SvcError {
  constructor() {
    super('superwall_module_missing', 'Superwall paywalls need @superwall/react-native-superwall or expo-superwall');
    this.name = 'SuperwallModuleMissingError';
  }
}

export interface SuperwallPaywallConfig {
  /** The placement to register. Must not be blank. */
  placementId: string;
}

/**
 * A registration that was resolved before anything was shown waits this long for a callback that is on its way, in ms.
 */
const LATE_SIGNAL_MS = 500;

const OUTCOMES: Readonly<Record<string, SurfaceOutcome>> = {
  purchased: 'purchase_completed',
  purchase: 'purchase_completed',
  purchase_completed: 'purchase_completed',
  restored: 'restore_completed',
  restore: 'restore_completed',
  restore_completed: 'restore_completed',
  declined: 'purchase_cancelled',
  cancelled: 'purchase_cancelled',
  canceled: 'purchase_cancelled',
  purchase_cancelled: 'purchase_cancelled',
};

/**
 * The outcome that the result of a dismissed paywall amounts to (runtime.md §9.1), and the product that was bought.
 *
 * @param result what Superwall hands to `onDismiss`, or its type alone
 */
export function normalizeSuperwallResult(result: unknown): { outcome: SurfaceOutcome; productId?: string } {
  const { type, productId, product } = (typeof result === 'object' && result !== null ? result : { type: result }) as {
    type?: unknown;
    productId?: unknown;
    product?: { id?: unknown };
  };
  const known = typeof type === 'string' ? type.toLowerCase() : '';
  const outcome = Object.prototype.hasOwnProperty.call(OUTCOMES, known)
    ? (OUTCOMES[known] as SurfaceOutcome)
    : 'dismissed';
  const bought = productId ?? product?.id;
  return outcome === 'purchase_completed' && typeof bought === 'string' && bought !== ''
    ? { outcome, productId: bought }
    : { outcome };
}

interface Handler {
  onPresent(listener: () => void): void;
  onDismiss(listener: (info: unknown, result: unknown) => void): void;
  onSkip(listener: () => void): void;
  onError(listener: (error: unknown) => void): void;
}
interface SuperwallApi {
  shared: {
    register(options: { placement: string; handler: Handler; feature: () => void }): Promise<unknown>;
  };
  Handler: new () => Handler;
}

/** Superwall's API from whichever package has it. */
function findSuperwall(): SuperwallApi | null {
  for (const load of SUPERWALL_MODULES) {
    const loaded = load() as Record<string, unknown> | null;
    const entry = (loaded?.default ?? loaded?.Superwall) as { shared?: unknown } | undefined;
    const shared = entry?.shared as SuperwallApi['shared'] | undefined;
    const Handler = loaded?.PaywallPresentationHandler as SuperwallApi['Handler'] | undefined;
    if (typeof shared?.register === 'function' && typeof Handler === 'function') return { shared, Handler };
  }
  return null;
}

/** Shows the paywall of a placement and waits for its first signal. */
function register(
  { shared, Handler }: SuperwallApi,
  placement: string,
): Promise<ReturnType<typeof normalizeSuperwallResult>> {
  return new Promise((resolve, reject) => {
    let presented = false;
    const dismissed = () => resolve({ outcome: 'dismissed' });
    const handler = new Handler();
    handler.onPresent(() => {
      presented = true;
    });
    handler.onDismiss((_, result) => resolve(normalizeSuperwallResult(result)));
    handler.onSkip(dismissed);
    handler.onError((error) => reject(error instanceof Error ? error : new Error(String(error))));
    // The feature is unlocked right after a dismissal too, whose own signal says more: it may be just behind.
    const later = () => {
      setTimeout(() => {
        if (!presented) dismissed();
      }, LATE_SIGNAL_MS);
    };
    const feature = () => {
      if (presented) setTimeout(dismissed, LATE_SIGNAL_MS);
      else later();
    };
    Promise.resolve(shared.register({ placement, handler, feature })).then(later, reject);
  });
}

/**
 * Registers a placement with Superwall and tells how its paywall ended (runtime.md §9). The app configures Superwall
 * itself.
 *
 * @throws SuperwallModuleMissingError, an error for a blank placement, and whatever Superwall throws
 */
export async function presentSuperwallPaywall({ placementId }: SuperwallPaywallConfig): Promise<SurfaceResult> {
  const placement = placementId.trim();
  if (placement === '') throw new SvcError('superwall_placement_missing', 'a Superwall paywall needs a placement');
  const api = findSuperwall();
  if (!api) throw new SuperwallModuleMissingError();
  const { outcome, productId } = await register(api, placement);
  const patch: SdkAttributes = { onb_sw_last_event: outcome, onb_sw_last_placement_id: placement };
  if (!productId) return { outcome, sdkKeyPatch: patch };
  return { outcome, sdkKeyPatch: { ...patch, onb_sw_last_product_id: productId }, commerce: { productId } };
}
