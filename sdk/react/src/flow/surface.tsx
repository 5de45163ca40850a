import { type Copy, HeadlessSurface, type SurfaceViewProps as HostedProps, hostComponent } from '@svc/react-core';
import { useEffect } from 'react';
import { useModule } from '../host/use-module';
import { loadOnDemand } from './load-on-demand';
import { type FrameProps, Waiting } from './waiting';

export interface SurfaceViewProps extends HostedProps {
  /** As in `Flow`. */
  openPaymentLink?: (url: string) => void;
  /** Words of the view that waits for a payment. */
  copy?: Partial<Copy> | undefined;
  /** How that view looks. */
  frame?: FrameProps | undefined;
}

/**
 * Presents the surface that a run waits for, once, and reports how it ended. Components of the host are drawn at once;
 * what presents others is loaded, and has failed when it can't be.
 */
export function SurfaceView(props: SurfaceViewProps) {
  const { flow, node, externalSurfaces, externalSurfacePresenter } = props;
  const Host = hostComponent(node, externalSurfaces);
  const parts = useModule(Host ? null : loadOnDemand);
  const failed = !Host && parts === null;
  useEffect(() => {
    // Once counts: then the run has moved on.
    if (failed) flow.reportExternalSurfaceOutcome(node.id, 'failed');
  }, [failed, flow, node]);
  if (Host) return <HeadlessSurface Host={Host} flow={flow} node={node} />;
  if (parts) return <parts.LoadedSurface {...props} />;
  return externalSurfacePresenter ? null : <Waiting {...props.frame} copy={props.copy} />;
}
