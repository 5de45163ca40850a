import type { ExternalSurfaceNode, FlowState, ResolvedFlow, SurfaceOutcome } from '@svc/core';
import type { CheckoutAttempts, RunPlace } from '@svc/core/internal';
import { type PaymentResume, savePaymentResume } from './resume';
import { buildPaymentRedirectUrl, readPaymentReturn } from './return-url';

export interface PaymentRun {
  channelId: string;
  appUserId: string;
  flow: ResolvedFlow;
  state: FlowState;
  /** How far the record of the run has come, so that it is still one run after the redirect. */
  place?: RunPlace;
}

/** What the page offers; the browser's own, unless a test says otherwise. */
export interface PaymentPage {
  tab: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  redirect(url: string): void;
}

/**
 * Opens an attempt, keeps the run in the tab and leaves for the payment page. Resolves to `failed` when any of it
 * is not possible, and to null when the page is on its way out.
 */
export async function startPayment(
  checkout: Pick<CheckoutAttempts, 'create' | 'cancel'>,
  node: ExternalSurfaceNode,
  run: PaymentRun,
  page: PaymentPage,
  isWanted: () => boolean = () => true,
): Promise<'failed' | null> {
  const link = node.config.provider === 'stripe' ? node.config.paymentLinkUrl : undefined;
  if (!link) return 'failed';
  const { channelId, appUserId, flow, state, place } = run;
  try {
    // Before anything is asked of the service: a link that is none must not leave an attempt behind.
    buildPaymentRedirectUrl(link, '');
    const { attemptId } = await checkout.create({
      channelId,
      flowId: flow.flowId,
      versionId: flow.versionId,
      experimentId: flow.experimentId,
      variantId: flow.variantId,
      surfaceId: node.id,
      appUserId,
      paymentLinkUrl: link,
      attribution: attributionOf(state),
    });
    if (!isWanted()) {
      await checkout.cancel(channelId, attemptId);
      return null;
    }
    const kept = { attemptId, channelId, surfaceId: node.id, appUserId, flow, state, ...(place ? { place } : {}) };
    if (!savePaymentResume(page.tab, kept)) return 'failed';
    page.redirect(buildPaymentRedirectUrl(link, attemptId));
    return null;
  } catch {
    return 'failed';
  }
}

function attributionOf(state: FlowState): Record<string, string | number | boolean> {
  const own = Object.entries(state.session.sdkAttributes).filter(([key]) =>
    /^(attribution|acquisition|link)\./.test(key),
  );
  return Object.fromEntries(own);
}

/**
 * How a payment ended that the visitor came back from. A success is asked for at the attempt and never cancelled; a
 * return that does not tell cancels what is pending. Null when the return belongs to another attempt.
 */
export async function finishPayment(
  checkout: Pick<CheckoutAttempts, 'outcomeOfSuccessReturn' | 'outcomeOfPlainReturn'>,
  kept: Pick<PaymentResume, 'attemptId' | 'channelId'>,
  search: string,
): Promise<SurfaceOutcome | null> {
  const { status, attemptId } = readPaymentReturn(search);
  if (attemptId !== null && attemptId !== kept.attemptId) return null;
  if (status === 'cancel') return 'purchase_cancelled';
  return status === 'success'
    ? checkout.outcomeOfSuccessReturn(kept.channelId, kept.attemptId)
    : checkout.outcomeOfPlainReturn(kept.channelId, kept.attemptId);
}
