import type { ExternalSurfaceNode, SdkAttributes, SurfaceOutcome } from '@svc/core';
import { own } from '@svc/core/internal';
import type { ComponentType } from 'react';
import type { UseFlowResult } from './use-flow';

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

/** The host's component for a surface; undefined where there is none, or the surface is not the host's. */
export function hostComponent(
  { id, config }: ExternalSurfaceNode,
  surfaces: ExternalSurfaces | undefined,
): ComponentType<ExternalSurfaceProps> | undefined {
  // Components live in a plain object, in which `constructor` and the like must read as missing.
  return config.provider === 'headless' ? own(surfaces, config.hostKey ?? id) : undefined;
}

/** Hosts write `onClick={onDismiss}` too, which hands over an event instead of a patch. */
function isPatch(value: unknown): value is SdkAttributes {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

interface HeadlessSurfaceProps {
  Host: ComponentType<ExternalSurfaceProps>;
  flow: UseFlowResult;
  node: ExternalSurfaceNode;
}

/** Draws a component of the host and reports what it answers. */
export function HeadlessSurface({ Host, flow, node }: HeadlessSurfaceProps) {
  const answer = (outcome: SurfaceOutcome) => (sdkKeyPatch?: SdkAttributes) =>
    void flow.reportExternalSurfaceOutcome(node.id, outcome, isPatch(sdkKeyPatch) ? { sdkKeyPatch } : {});
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
