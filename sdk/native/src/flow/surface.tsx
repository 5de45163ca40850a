import type { ExternalSurfaceNode } from '@svc/core';
import { getSdkLogger, HostedSurfaceView, type SurfaceViewProps } from '@svc/react-core';
import { presentSurface } from '../surfaces/present-surface';

/**
 * Presents the surface that a run waits for, once, and reports how it ended: paywalls through the modules that the
 * app has installed, headless surfaces as the host's components, and everything through the host's presenter where
 * there is one.
 */
export function SurfaceView({ externalSurfacePresenter, ...props }: SurfaceViewProps) {
  const { flow } = props;
  const present = (node: ExternalSurfaceNode) =>
    presentSurface(node, flow.flow?.integrations).catch((error: unknown) => {
      getSdkLogger().warn(`the ${node.config.provider} surface ${node.id} failed`, error);
      throw error;
    });
  return <HostedSurfaceView {...props} externalSurfacePresenter={externalSurfacePresenter ?? present} />;
}
