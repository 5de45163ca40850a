// Types of the flow "paywall flow", written from version 1. Made by `svc types`; a change here is lost.

/** Answers by field. What a run did not ask is absent; what was skipped says so. */
export interface PaywallFlowAnswers {
}

/** Screens, in the order of the editor. */
export type PaywallFlowStepId =
  /** Offer */
  | "scr_offer"
  /** Thanks */
  | "scr_thanks"
  /** Discount */
  | "scr_discount"
  /** Free plan */
  | "scr_free";

/** What a run can send; `onEvent` of the provider sees them. */
export type PaywallFlowEvent =
  | "flow_started"
  | "step_viewed"
  | "step_completed"
  | "decision_evaluated"
  | "surface_presented"
  | "surface_outcome"
  | "iap_purchase"
  | "external_link_opened"
  | "attribution_context_observed"
  | "flow_completed"
  | "flow_abandoned";

/** Attributes that decisions of the flow read; `attributes` of the provider's config sets them. */
export type PaywallFlowAttribute =
  | "attribution.isOrganic"
  | "acquisition.source";

interface Skipped {
  bypassed: true;
  via: 'skip' | 'go_to_screen';
}
