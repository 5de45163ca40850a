import type { ExternalSurfaceNode, PurchaseCommerce, SdkAttributes, SurfaceOutcome } from '@svc/core';
import { useEffect, useRef } from 'react';
import type { UseFlowResult } from './use-flow';

/** How an external surface ended. */
export interface SurfaceResult {
  outcome: SurfaceOutcome;
  /** Attributes that decisions of this run see from now on. */
  sdkKeyPatch?: SdkAttributes;
  /** What was bought, where the surface sells. */
  commerce?: PurchaseCommerce;
}

/** Attribute that a surface leaves when it cannot be presented. */
const LAST_EVENT_KEY: Readonly<Record<string, string>> = {
  revenuecat: 'onb_rc_last_event',
  superwall: 'onb_sw_last_event',
};

export function failureOf(node: ExternalSurfaceNode): SurfaceResult {
  const key = LAST_EVENT_KEY[node.config.provider] ?? 'onb_surface_last_event';
  return { outcome: 'failed', sdkKeyPatch: { [key]: 'failed' } };
}

interface FailedSurfaceProps {
  flow: Pick<UseFlowResult, 'reportExternalSurfaceOutcome'>;
  node: ExternalSurfaceNode;
}

/** A surface that nobody can present. The run has moved on by the time a second report could come. */
export function FailedSurface({ flow, node }: FailedSurfaceProps) {
  const latest = useRef(flow);
  useEffect(() => {
    latest.current = flow;
  });
  useEffect(() => {
    const { outcome, ...extra } = failureOf(node);
    latest.current.reportExternalSurfaceOutcome(node.id, outcome, extra);
  }, [node]);
  return null;
}
