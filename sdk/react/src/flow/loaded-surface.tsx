import { HostedSurfaceView } from '@svc/react-core';
import { PreviewSurface } from '../preview/preview';
import { PaymentSurface } from './payment-surface';
import type { SurfaceViewProps } from './surface';

/** Presents a surface that is not a component of the host. */
export function LoadedSurface({ openPaymentLink, copy, frame, ...props }: SurfaceViewProps) {
  const { flow, node, externalSurfacePresenter } = props;
  if (node.config.provider === 'stripe' && !externalSurfacePresenter && !flow.flow?.preview)
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
  return (
    <HostedSurfaceView {...props} drawPreview={(report) => <PreviewSurface {...frame} node={node} report={report} />} />
  );
}
