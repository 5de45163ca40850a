import { CHECKOUT_RESUME_KEY, type FlowState, type ResolvedFlow } from '@svc/core';
import type { RunPlace } from '@svc/core/internal';

/** A run that waits for a payment on another page. */
export interface PaymentResume {
  version: 2;
  attemptId: string;
  channelId: string;
  surfaceId: string;
  /** Who pays; nobody else takes the run up. */
  appUserId: string;
  flow: ResolvedFlow;
  /** The state without the manifest, which the flow has. */
  state: Omit<FlowState, 'manifest'>;
  /** How far the record of the run had come. */
  place?: RunPlace;
}

type Tab = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keeps a run over the redirect. Returns false when the tab's store takes nothing: then there must be no redirect. */
export function savePaymentResume(
  tab: Tab,
  run: Omit<PaymentResume, 'version' | 'state'> & { state: FlowState },
): boolean {
  const { manifest: _, ...state } = run.state;
  const kept: PaymentResume = { ...run, version: 2, state };
  try {
    tab.setItem(CHECKOUT_RESUME_KEY, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/**
 * The run that waits for a payment of this channel; null when there is none.
 *
 * @param isOwner whether the person of now may take up a run of this id
 */
export function loadPaymentResume(
  tab: Tab,
  channelId: string,
  isOwner: (appUserId: string) => boolean,
): PaymentResume | null {
  try {
    const kept = JSON.parse(tab.getItem(CHECKOUT_RESUME_KEY) ?? 'null') as PaymentResume | null;
    const fits =
      kept?.version === 2 &&
      kept.channelId === channelId &&
      isOwner(kept.appUserId) &&
      kept.state.pendingExternalSurface?.nodeId === kept.surfaceId &&
      Array.isArray(kept.flow.manifest.screens);
    return fits ? kept : null;
  } catch {
    return null;
  }
}

/** The full state of a kept run. */
export function resumedState(kept: PaymentResume): FlowState {
  return { ...kept.state, manifest: kept.flow.manifest };
}

export function clearPaymentResume(tab: Tab): void {
  try {
    tab.removeItem(CHECKOUT_RESUME_KEY);
  } catch {
    // A store that refuses had nothing of ours.
  }
}
