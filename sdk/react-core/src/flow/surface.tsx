import type { ExternalSurfaceNode, SurfaceOutcome } from '@svc/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { FailedSurface, failureOf, type SurfaceResult } from './failed-surface';
import { type ExternalSurfaces, HeadlessSurface, hostComponent } from './headless-surface';
import type { UseFlowResult } from './use-flow';

type Presenter = (node: ExternalSurfaceNode) => Promise<SurfaceResult>;

export interface SurfaceHosting {
  externalSurfaces?: ExternalSurfaces;
  /**
   * Presents surfaces of other providers; without it those that the platform does not present by itself fail, and the
   * flow goes its fallback way.
   */
  externalSurfacePresenter?: Presenter;
}

export interface SurfaceViewProps extends SurfaceHosting {
  flow: UseFlowResult;
  node: ExternalSurfaceNode;
  /** Draws what stands for the surface in a preview. Default: nothing, and it ends as when all goes well. */
  drawPreview?: ((report: (outcome: SurfaceOutcome) => void) => ReactNode) | undefined;
}

/**
 * Presents the surface that a run waits for, once, and reports how it ended. Headless surfaces are the host's
 * components; all others are for the presenter. A preview sells nothing: it presents the host's components only.
 */
export function HostedSurfaceView({
  flow,
  node,
  externalSurfaces,
  externalSurfacePresenter,
  drawPreview,
}: SurfaceViewProps) {
  const report = ({ outcome, ...extra }: SurfaceResult) =>
    void flow.reportExternalSurfaceOutcome(node.id, outcome, extra);
  const { config } = node;
  const Host = hostComponent(node, externalSurfaces);
  if (Host) return <HeadlessSurface Host={Host} flow={flow} node={node} />;
  if (flow.flow?.preview)
    return drawPreview ? (
      drawPreview((outcome) => report({ outcome }))
    ) : (
      <PreviewedSurface node={node} report={report} />
    );
  if (config.provider === 'headless' || !externalSurfacePresenter) return <FailedSurface flow={flow} node={node} />;
  return <PresentedSurface node={node} report={report} present={externalSurfacePresenter} />;
}

interface OutcomeProps {
  node: ExternalSurfaceNode;
  report: (result: SurfaceResult) => void;
}

/** A surface of a preview that has nothing to show. */
function PreviewedSurface({ node, report }: OutcomeProps) {
  const latest = useRef(report);
  useEffect(() => {
    latest.current = report;
  });
  useEffect(
    () => latest.current({ outcome: node.config.provider === 'headless' ? 'completed' : 'purchase_completed' }),
    [node],
  );
  return null;
}

/** A surface that the host's function presents. */
function PresentedSurface({ node, report, present }: OutcomeProps & { present: Presenter }) {
  const latest = useRef({ present, report });
  useEffect(() => {
    latest.current = { present, report };
  });
  useEffect(() => {
    let shown = true;
    // One task later, so that React's double mount presents once.
    const timer = setTimeout(async () => {
      const result = await latest.current.present(node).catch(() => failureOf(node));
      if (shown) latest.current.report(result);
    }, 0);
    return () => {
      shown = false;
      clearTimeout(timer);
    };
  }, [node]);
  return null;
}
