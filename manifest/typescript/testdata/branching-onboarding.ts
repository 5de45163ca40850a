// Types of the flow "branching onboarding", written from version 1. Made by `svc types`; a change here is lost.

/** Answers by field. What a run did not ask is absent; what was skipped says so. */
export interface BranchingOnboardingAnswers {
  /** Goal */
  "goal"?: (
    /** Start a first plant */
    | "start"
    /** Rescue a sick plant */
    | "rescue"
    /** Grow a collection */
    | "collect"
  ) | Skipped;
  /** Symptoms */
  "symptoms"?: (
    /** Yellow leaves */
    | "yellow"
    /** Dry tips */
    | "dry"
    /** Small insects */
    | "bugs"
    /** Drooping stems */
    | "droop"
  )[] | Skipped;
  /** Light */
  "brightness"?: number | Skipped;
  /** How many */
  "plant_count"?: number | Skipped;
  /** Season */
  "season"?: (
    /** Spring */
    | "spring"
    /** Summer */
    | "summer"
    /** Autumn */
    | "autumn"
    /** Winter */
    | "winter"
  ) | Skipped;
  /** Reminder time */
  "reminder_time"?: { value: string; classification: 'safe' } | Skipped;
  /** Expert call */
  "phone"?: { value: string; countryCode: string; nationalNumber: string; classification: 'sensitive' } | Skipped;
  /** Expert call */
  "call_consent"?: boolean | Skipped;
  /** Starter kit */
  "shipping"?: { value: { line1: string; line2?: string; city: string; region?: string; postalCode: string; country: string }; classification: 'sensitive' } | Skipped;
  /** Email */
  "email"?: { value: string; classification: 'sensitive' } | Skipped;
  /** Birth year */
  "start_year"?: string | Skipped;
}

/** Screens, in the order of the editor. */
export type BranchingOnboardingStepId =
  /** Goal */
  | "scr_goal"
  /** Symptoms */
  | "scr_symptoms"
  /** Light */
  | "scr_rooms"
  /** How many */
  | "scr_size"
  /** Season */
  | "scr_season"
  /** Reminder time */
  | "scr_remind"
  /** Expert call */
  | "scr_contact"
  /** Starter kit */
  | "scr_ship"
  /** Email */
  | "scr_email"
  /** Birth year */
  | "scr_birth"
  /** Summary */
  | "scr_summary";

/** What a run can send; `onEvent` of the provider sees them. */
export type BranchingOnboardingEvent =
  | "flow_started"
  | "step_viewed"
  | "step_completed"
  | "step_skipped"
  | "choice_selected"
  | "text_submitted"
  | "decision_evaluated"
  | "attribution_context_observed"
  | "flow_completed"
  | "flow_abandoned";

/** Attributes that decisions of the flow read; `attributes` of the provider's config sets them. */
export type BranchingOnboardingAttribute =
  | "owned_plants"
  | "beta_user";

interface Skipped {
  bypassed: true;
  via: 'skip' | 'go_to_screen';
}
