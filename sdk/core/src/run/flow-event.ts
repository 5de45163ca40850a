import type { Identity } from '../api/types';
import type { CustomProperties } from '../flow/snapshot';
import type { Classification } from '../manifest/types';

/** Names of the flow event catalogue that the SDK emits (wire.md §5.2). */
export type FlowEventName =
  | 'flow_started'
  | 'step_viewed'
  | 'step_completed'
  | 'step_skipped'
  | 'choice_selected'
  | 'text_submitted'
  | 'decision_evaluated'
  | 'surface_presented'
  | 'surface_outcome'
  | 'iap_purchase'
  | 'external_link_opened'
  | 'app_review_prompt_shown'
  | 'app_review_prompt_dismissed'
  | 'attribution_context_observed'
  | 'flow_completed'
  | 'flow_abandoned';

export type FlowEventProperty = string | number | boolean | null | string[];

/** What happened in a run, before the run adds who and which flow. */
export interface FlowEventInput {
  name: FlowEventName;
  stepId?: string | null;
  properties?: Record<string, FlowEventProperty>;
  fieldClassification?: Classification;
  /** UUID of the run that the event belongs to. */
  runId?: string;
  /** Place of the event in its run, from 0. */
  seq?: number;
  /** On views of screens and surfaces: where the run came from, null at its first step. */
  fromStepId?: string | null;
}

export interface FlowEventContext {
  platform?: string;
  appVersion?: string;
  locale?: string;
  customProperties?: CustomProperties;
}

/** A flow event as it is sent. */
export interface FlowEvent extends FlowEventInput {
  eventId: string;
  /** ISO 8601, the time it happened. */
  timestamp: string;
  flowId: string;
  versionId: string;
  assignmentVersion: number;
  experimentId: string | null;
  variantId: string | null;
  identity: Identity;
  context: FlowEventContext;
}

const TERMINAL: ReadonlySet<FlowEventName> = new Set<FlowEventName>(['flow_completed', 'flow_abandoned']);

/** Terminal events are sent at once and are the last to be dropped. */
export function isTerminalFlowEvent(name: FlowEventName): boolean {
  return TERMINAL.has(name);
}
