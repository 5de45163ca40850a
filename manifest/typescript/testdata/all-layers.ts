// Types of the flow "all layers", written from version 1. Made by `svc types`; a change here is lost.

/** Answers by field. What a run did not ask is absent; what was skipped says so. */
export interface AllLayersAnswers {
  /** Choices */
  "al_single"?: (
    /** Sun */
    | "a"
    /** Shade */
    | "b"
  ) | Skipped;
  /** Multi */
  "al_many"?: (
    /** Herbs */
    | "x"
    /** Cacti */
    | "y"
    /** Ferns */
    | "z"
  )[] | Skipped;
  /** Multi */
  "al_terms"?: boolean | Skipped;
  /** Input text */
  "al_note"?: { value: string; classification: 'safe' } | Skipped;
  /** Input scale */
  "al_scale"?: number | Skipped;
  /** Input wheel */
  "al_month"?: string | Skipped;
  /** Input date */
  "al_visit"?: { value: string; classification: 'sensitive' } | Skipped;
  /** Input step */
  "al_amount"?: number | Skipped;
  /** Input phone */
  "al_phone"?: { value: string; countryCode: string; nationalNumber: string; classification: 'sensitive' } | Skipped;
  /** Input addr */
  "al_address"?: { value: { line1: string; line2?: string; city: string; region?: string; postalCode: string; country: string }; classification: 'sensitive' } | Skipped;
  /** System */
  "permission:camera"?: 'granted' | 'denied' | 'blocked' | Skipped;
}

/** Screens, in the order of the editor. */
export type AllLayersStepId =
  /** Media */
  | "scr_al_media"
  /** Feedback */
  | "scr_al_feedback"
  /** Choices */
  | "scr_al_choice"
  /** Multi */
  | "scr_al_multi"
  /** Input text */
  | "scr_al_text"
  /** Input scale */
  | "scr_al_scale"
  /** Input wheel */
  | "scr_al_wheel"
  /** Input date */
  | "scr_al_date"
  /** Input step */
  | "scr_al_step"
  /** Input phone */
  | "scr_al_phone"
  /** Input addr */
  | "scr_al_addr"
  /** OAuth */
  | "scr_al_oauth"
  /** Email sign-up */
  | "scr_al_mail"
  /** System */
  | "scr_al_system"
  /** Last */
  | "scr_al_last";

/** What a run can send; `onEvent` of the provider sees them. */
export type AllLayersEvent =
  | "flow_started"
  | "step_viewed"
  | "step_completed"
  | "step_skipped"
  | "choice_selected"
  | "text_submitted"
  | "external_link_opened"
  | "app_review_prompt_shown"
  | "app_review_prompt_dismissed"
  | "attribution_context_observed"
  | "flow_completed"
  | "flow_abandoned";

/** Attributes that decisions of the flow read; `attributes` of the provider's config sets them. */
export type AllLayersAttribute = never;

interface Skipped {
  bypassed: true;
  via: 'skip' | 'go_to_screen';
}
