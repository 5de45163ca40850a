import { HostedSurfaceView, type SurfaceViewProps } from '@svc/react-core';
import { PaymentSurface } from './payment-surface';

/** Presents the surface that a run waits for, once, and reports how it ended. */
export function SurfaceView({
  openPaymentLink,
  ...props
}: SurfaceViewProps & { openPaymentLink?: (url: string) => void }) {
  const { flow, node, externalSurfacePresenter } = props;
  if (node.config.provider !== 'stripe' || externalSurfacePresenter) return <HostedSurfaceView {...props} />;
  return (
    <PaymentSurface
      flow={flow}
      node={node}
      {...(openPaymentLink ? { openLink: openPaymentLink } : {})}
      report={(outcome) => void flow.reportExternalSurfaceOutcome(node.id, outcome)}
    />
  );
}
