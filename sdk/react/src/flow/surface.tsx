import type { SurfaceOutcome } from '@svc/core';
import { type Copy, type SurfaceViewProps as HostedProps, HostedSurfaceView } from '@svc/react-core';
import { useEffect, useRef } from 'react';
import { useModule } from '../host/use-module';
import { loadOnDemand } from './load-on-demand';
import type { PaymentSurfaceProps } from './payment-surface';
import { type FrameProps, Waiting } from './waiting';

export interface SurfaceViewProps extends HostedProps {
  /** As in `Flow`. */
  openPaymentLink?: (url: string) => void;
  /** Words of the view that waits for a payment. */
  copy?: Partial<Copy> | undefined;
  /** How that view looks. */
  frame?: FrameProps | undefined;
}

/** Presents the surface that a run waits for, once, and reports how it ended. */
export function SurfaceView({ openPaymentLink, copy, frame, ...props }: SurfaceViewProps) {
  const { flow, node, externalSurfacePresenter } = props;
  if (flow.flow?.preview)
    return (
      <HostedSurfaceView
        {...props}
        drawPreview={(report) => <StandIn node={node} report={report} copy={copy} frame={frame} />}
      />
    );
  if (node.config.provider !== 'stripe' || externalSurfacePresenter) return <HostedSurfaceView {...props} />;
  return (
    <Payment
      flow={flow}
      node={node}
      {...(openPaymentLink ? { openLink: openPaymentLink } : {})}
      copy={copy}
      frame={frame}
      report={(outcome) => void flow.reportExternalSurfaceOutcome(node.id, outcome)}
    />
  );
}

interface StandInProps extends Pick<SurfaceViewProps, 'node' | 'copy' | 'frame'> {
  report: (outcome: SurfaceOutcome) => void;
}

/** What stands for a surface in a preview. */
function StandIn({ copy, frame, ...props }: StandInProps) {
  const preview = useModule(loadOnDemand);
  return preview ? <preview.PreviewSurface {...frame} {...props} /> : <Waiting {...frame} copy={copy} />;
}

/** A payment that can't be loaded has failed. */
function Payment(props: PaymentSurfaceProps) {
  const payment = useModule(loadOnDemand);
  const failed = payment === null;
  const report = useRef(props.report);
  useEffect(() => {
    report.current = props.report;
  });
  useEffect(() => {
    if (failed) report.current('failed');
  }, [failed]);
  if (payment) return <payment.PaymentSurface {...props} />;
  return <Waiting {...props.frame} copy={props.copy} />;
}
