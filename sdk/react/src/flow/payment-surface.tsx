import type { ExternalSurfaceNode, SurfaceOutcome } from '@svc/core';
import { CheckoutAttempts } from '@svc/core/internal';
import { type Copy, PAYMENT_CANCEL_LABEL, type UseFlowResult, useSvcContext } from '@svc/react-core';
import { useEffect, useRef } from 'react';
import { tabStore } from '../host/browser-platform';
import { finishPayment, startPayment } from '../payment/payment';
import { clearPaymentResume, loadPaymentResume } from '../payment/resume';
import { removePaymentParams } from '../payment/return-url';
import { type FrameProps, Waiting } from './waiting';

export interface PaymentSurfaceProps {
  flow: UseFlowResult;
  node: ExternalSurfaceNode;
  /** Default: this tab goes there. */
  openLink?: (url: string) => void;
  report: (outcome: SurfaceOutcome) => void;
  copy?: Partial<Copy> | undefined;
  frame?: FrameProps | undefined;
}

/**
 * A payment by link: leaves for the payment page, or, when the visitor has just come back from it, finds out how it
 * went (runtime.md §9.2).
 */
export function PaymentSurface({ flow, node, openLink, report, copy, frame }: PaymentSurfaceProps) {
  const { client, host } = useSvcContext();
  const { platform } = host;
  const { channelId, flow: resolved, state, runPlace: place } = flow;
  const latest = useRef({ openLink, report, resolved, state, place });
  useEffect(() => {
    latest.current = { openLink, report, resolved, state, place };
  });
  const wanted = useRef(true);

  useEffect(() => {
    wanted.current = true;
    const isWanted = () => wanted.current;
    const tell = (outcome: SurfaceOutcome) => {
      if (isWanted()) latest.current.report(outcome);
    };
    const run = async () => {
      const checkout = new CheckoutAttempts(platform, client.connection);
      const kept = loadPaymentResume(tabStore(platform), channelId, (appUserId) => client.maySucceed(appUserId));
      if (kept?.surfaceId === node.id) {
        const search = window.location.search;
        // The address of another attempt says nothing about this one, which is then asked without it.
        const outcome = (await finishPayment(checkout, kept, search)) ?? (await finishPayment(checkout, kept, ''));
        if (!isWanted()) return;
        window.history.replaceState(window.history.state, '', removePaymentParams(window.location.href));
        clearPaymentResume(tabStore(platform));
        tell(outcome ?? 'failed');
        return;
      }
      const now = latest.current;
      if (!now.resolved || !now.state) return;
      const place = now.place();
      const payment = {
        channelId,
        appUserId: client.appUserId,
        flow: now.resolved,
        state: now.state,
        ...(place ? { place } : {}),
      };
      const page = {
        tab: tabStore(platform),
        redirect: now.openLink ?? ((url: string) => window.location.assign(url)),
      };
      const outcome = await startPayment(checkout, node, payment, page, isWanted);
      if (outcome) tell(outcome);
    };
    // One task later, so that React's double mount opens one attempt.
    const timer = setTimeout(() => void run(), 0);
    return () => {
      wanted.current = false;
      clearTimeout(timer);
    };
  }, [client, platform, channelId, node]);

  const cancel = () => {
    wanted.current = false;
    clearPaymentResume(tabStore(platform));
    latest.current.report('purchase_cancelled');
  };
  return <Waiting {...frame} copy={copy} action={{ label: copy?.cancel ?? PAYMENT_CANCEL_LABEL, run: cancel }} />;
}
