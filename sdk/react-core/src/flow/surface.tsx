import type { ExternalSurfaceNode, PurchaseCommerce, SdkAttributes, SurfaceOutcome } from '@svc/core';
import { type ComponentType, type ReactNode, useEffect, useRef } from 'react';
import type { UseFlowResult } from './use-flow';

/** How an external surface ended. */
export interface SurfaceResult {
  outcome: SurfaceOutcome;
  /** Attributes that decisions of this run see from now on. */
  sdkKeyPatch?: SdkAttributes;
  /** What was bought, where the surface sells. */
  commerce?: PurchaseCommerce;
}

/** Props of a host's component for a headless surface. Only the first call counts. */
export interface ExternalSurfaceProps {
  surfaceId: string;
  node: ExternalSurfaceNode;
  onComplete: (sdkKeyPatch?: SdkAttributes) => void;
  onBack: (sdkKeyPatch?: SdkAttributes) => void;
  onDismiss: (sdkKeyPatch?: SdkAttributes) => void;
}

/** Host components by host key, or by node id where the author set none. */
export type ExternalSurfaces = Readonly<Record<string, ComponentType<ExternalSurfaceProps>>>;

type Presenter = (node: ExternalSurfaceNode) => Promise<SurfaceResult>;

export interface SurfaceHosting {
  externalSurfaces?: ExternalSurfaces;
  /**
   * Presents surfaces of other providers; without it those that the platform does not present by itself fail, and the
   * flow goes its fallback way.
   */
  externalSurfacePresenter?: Presenter;
}

/** Attribute that a surface leaves when it cannot be presented. */
const LAST_EVENT_KEY: Readonly<Record<string, string>> = {
  revenuecat: 'onb_rc_last_event',
  superwall: 'onb_sw_last_event',
};

/** Host components live in a plain object, in which `constructor` and the like must read as missing. */
function own<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map && Object.prototype.hasOwnProperty.call(map, key) ? map[key] : undefined;
}

/** Hosts write `onClick={onDismiss}` too, which hands over an event instead of a patch. */
function isPatch(value: unknown): value is SdkAttributes {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function failureOf(node: ExternalSurfaceNode): SurfaceResult {
  const key = LAST_EVENT_KEY[node.config.provider] ?? 'onb_surface_last_event';
  return { outcome: 'failed', sdkKeyPatch: { [key]: 'failed' } };
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
  const Host = config.provider === 'headless' ? own(externalSurfaces, config.hostKey ?? node.id) : undefined;
  if (flow.flow?.preview && !Host)
    return drawPreview ? (
      drawPreview((outcome) => report({ outcome }))
    ) : (
      <PreviewedSurface node={node} report={report} />
    );
  if (config.provider !== 'headless') {
    if (!externalSurfacePresenter) return <FailedSurface node={node} report={report} />;
    return <PresentedSurface node={node} report={report} present={externalSurfacePresenter} />;
  }
  if (!Host) return <FailedSurface node={node} report={report} />;
  const answer = (outcome: SurfaceOutcome) => (sdkKeyPatch?: SdkAttributes) =>
    report({ outcome, ...(isPatch(sdkKeyPatch) ? { sdkKeyPatch } : {}) });
  return (
    <Host
      surfaceId={node.id}
      node={node}
      onComplete={answer('completed')}
      onBack={answer('back')}
      onDismiss={answer('dismissed')}
    />
  );
}

interface OutcomeProps {
  node: ExternalSurfaceNode;
  report: (result: SurfaceResult) => void;
}

/** A surface that nobody can present. The run has moved on by the time a second report could come. */
function FailedSurface({ node, report }: OutcomeProps) {
  const latest = useRef(report);
  useEffect(() => {
    latest.current = report;
  });
  useEffect(() => latest.current(failureOf(node)), [node]);
  return null;
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
