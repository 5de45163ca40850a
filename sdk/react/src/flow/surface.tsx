import type { ExternalSurfaceNode, FlowState, ResolvedFlow, SdkAttributes, SurfaceOutcome } from '@svc/core';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { finishPayment, startPayment } from '../payment/payment';
import { clearPaymentResume, loadPaymentResume } from '../payment/resume';
import { removePaymentParams } from '../payment/return-url';
import { useSvcContext } from '../provider/context';
import { Spinner } from './spinner';

/** What a host's own surface receives. Each of the three ends the surface; only the first call counts. */
export interface ExternalSurfaceProps {
  surfaceId: string;
  node: ExternalSurfaceNode;
  onComplete: () => void;
  onBack: () => void;
  onDismiss: () => void;
}

/** Host components by host key, or by node id where the author set none. */
export type ExternalSurfaces = Readonly<Record<string, ComponentType<ExternalSurfaceProps>>>;

export type ReportOutcome = (outcome: SurfaceOutcome, extra?: { sdkKeyPatch?: SdkAttributes }) => void;

export interface SurfaceViewProps {
  node: ExternalSurfaceNode;
  externalSurfaces: ExternalSurfaces | undefined;
  channelId: string;
  flow: ResolvedFlow;
  state: FlowState;
  report: ReportOutcome;
}

/** Presents a pending surface. What the web cannot present fails, and the flow takes its authored way on. */
export function SurfaceView(props: SurfaceViewProps) {
  const { node, externalSurfaces, report } = props;
  const { config } = node;
  if (config.provider === 'stripe') return <PaymentSurface {...props} />;
  if (config.provider === 'headless') {
    const Surface = externalSurfaces?.[config.hostKey ?? node.id];
    if (Surface) return <HostSurface node={node} report={report} surface={Surface} />;
    return <FailedSurface report={report} patchKey="onb_surface_last_event" />;
  }
  return (
    <FailedSurface
      report={report}
      patchKey={config.provider === 'superwall' ? 'onb_sw_last_event' : 'onb_rc_last_event'}
    />
  );
}

function HostSurface({
  node,
  report,
  surface: Surface,
}: Pick<SurfaceViewProps, 'node' | 'report'> & { surface: ComponentType<ExternalSurfaceProps> }) {
  return (
    <Surface
      surfaceId={node.id}
      node={node}
      onComplete={() => report('completed')}
      onBack={() => report('back')}
      onDismiss={() => report('dismissed')}
    />
  );
}

function FailedSurface({ report, patchKey }: { report: ReportOutcome; patchKey: string }) {
  const latest = useLatest(report);
  useEffect(() => {
    latest.current('failed', { sdkKeyPatch: { [patchKey]: 'failed' } });
  }, [latest, patchKey]);
  return null;
}

function useLatest<T>(value: T) {
  const ref = useRef(value);
  useEffect(() => {
    ref.current = value;
  });
  return ref;
}

/** A payment on another page: leaves for it, or takes up the run that came back from it. */
function PaymentSurface({ node, channelId, flow, state, report }: SurfaceViewProps) {
  const { client, web } = useSvcContext();
  const [leaving, setLeaving] = useState(false);
  const wanted = useRef(true);
  const latest = useLatest({ report, flow, state });

  useEffect(() => {
    let current = true;
    wanted.current = true;
    const settle = (outcome: SurfaceOutcome) => {
      clearPaymentResume(web.tab);
      if (current) {
        latest.current.report(outcome, outcome === 'failed' ? { sdkKeyPatch: { onb_rc_last_event: 'failed' } } : {});
      }
    };
    const kept = loadPaymentResume(web.tab, channelId, (appUserId) => client.maySucceed(appUserId));
    if (kept?.surfaceId === node.id) {
      void finishPayment(client.checkout, kept, window.location.search).then(async (outcome) => {
        // The address speaks of another attempt; ours is asked for itself.
        const own = outcome ?? (await client.checkout.outcomeOfPlainReturn(channelId, kept.attemptId));
        if (!current) return;
        window.history.replaceState(window.history.state, '', removePaymentParams(window.location.href));
        settle(own);
      });
    } else {
      setLeaving(true);
      const run = { channelId, appUserId: client.appUserId, flow: latest.current.flow, state: latest.current.state };
      const page = { tab: web.tab, redirect: (url: string) => window.location.assign(url) };
      void startPayment(client.checkout, node, run, page, () => current && wanted.current).then((outcome) => {
        if (outcome) settle(outcome);
      });
    }
    return () => {
      current = false;
    };
  }, [client, web, node, channelId, latest]);

  const cancel = () => {
    wanted.current = false;
    clearPaymentResume(web.tab);
    report('purchase_cancelled');
  };
  return (
    <div style={{ display: 'grid', justifyItems: 'center' }}>
      <Spinner label="Payment" />
      {leaving && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
    </div>
  );
}
