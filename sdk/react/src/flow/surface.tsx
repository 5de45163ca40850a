import { type Copy, type SurfaceViewProps as HostedProps, HostedSurfaceView } from '@svc/react-core';
import { PaymentSurface } from './payment-surface';
import type { FrameProps } from './waiting';

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
  if (node.config.provider !== 'stripe' || externalSurfacePresenter) return <HostedSurfaceView {...props} />;
  return (
    <PaymentSurface
      flow={flow}
      node={node}
      {...(openPaymentLink ? { openLink: openPaymentLink } : {})}
      copy={copy}
      frame={frame}
      report={(outcome) => void flow.reportExternalSurfaceOutcome(node.id, outcome)}
    />
  );
}
