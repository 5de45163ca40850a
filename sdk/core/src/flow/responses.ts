import type { Classification, OAuthPreset, PermissionOutcome, SurfaceOutcome } from '../manifest/types';

/** Outcome of an in-app review request (wire.md §6.2). */
export type AppReviewOutcome = 'not_shown' | 'dismissed';

export interface AddressValue {
  line1: string;
  line2?: string;
  city: string;
  region?: string;
  postalCode: string;
  /** Two upper-case letters, or empty. */
  country: string;
}

/** The answer of an input layer. The machine stores it under the layer's field key. */
export type InputResponse =
  | { kind: 'choice'; choiceId: string }
  | { kind: 'multiChoice'; choiceIds: string[] }
  | { kind: 'text'; value: string; classification: Classification }
  | { kind: 'scale'; value: number }
  | { kind: 'wheel'; value: string }
  | { kind: 'date_time'; value: string; classification: Classification }
  | { kind: 'number_stepper'; value: number; classification?: Classification }
  | { kind: 'phone'; value: string; countryCode: string; nationalNumber: string; classification: Classification }
  | { kind: 'address'; value: AddressValue; classification: Classification };

export type CheckboxResponse = { kind: 'checkbox'; fieldKey: string; value: boolean };
export type CtaResponse = { kind: 'cta'; action: 'primary' | 'secondary' };
export type CarouselResponse = { kind: 'carousel' };
/** A draft that an ending or skipping action may carry along. */
export type ConsumedDraftPayload = InputResponse | CtaResponse | CarouselResponse;

/** Which identity provider an auth row stands for, as hosts receive it. */
export type OAuthProviderPayload =
  | { type: 'preset'; provider: OAuthPreset }
  | {
      type: 'custom';
      rowId: string;
      label: { default: string; translations?: Record<string, string> };
      family: 'ionicons';
      iconName: string;
    };

export type SdkAttributeValue = string | number | boolean;
export type SdkAttributes = Record<string, SdkAttributeValue>;

export type SurfaceOutcomeResponse = {
  kind: 'external_surface_outcome';
  nodeId: string;
  outcome: SurfaceOutcome;
  sdkKeyPatch?: SdkAttributes;
};
export type PermissionOutcomeResponse = {
  kind: 'permission_outcome';
  layerId: string;
  permissionKey: string;
  outcome: PermissionOutcome;
};
export type AppReviewOutcomeResponse = { kind: 'app_review_outcome'; layerId: string; outcome: AppReviewOutcome };
export type OAuthLoginResponse = {
  kind: 'oauth_login_resolve';
  layerId: string;
  provider: OAuthProviderPayload;
  success: boolean;
  customerExternalId?: string;
  error?: string;
};
/** Carries no password: the host's handler is the only one that ever sees it. */
export type EmailPasswordResponse = {
  kind: 'email_password_auth_resolve';
  layerId: string;
  fieldKey: string;
  mode: 'sign_in' | 'sign_up';
  email: string;
  success: boolean;
  error?: string;
};

/** Everything `submitResponse` understands, except the wrapper `screen_commit`. */
export type PrimaryResponse =
  | InputResponse
  | CheckboxResponse
  | CtaResponse
  | CarouselResponse
  | { kind: 'skip'; consumedDraft?: ConsumedDraftPayload }
  | { kind: 'end_flow'; consumedDraft?: ConsumedDraftPayload }
  | { kind: 'go_to_screen'; screenId: string }
  | { kind: 'go_back'; fallbackScreenId?: string }
  | PermissionOutcomeResponse
  | AppReviewOutcomeResponse
  | OAuthLoginResponse
  | EmailPasswordResponse
  | SurfaceOutcomeResponse;

/** A response together with the checkboxes of its screen (runtime.md §2.5). */
export type ScreenCommitResponse = {
  kind: 'screen_commit';
  primary: PrimaryResponse;
  checkboxValues: Record<string, boolean>;
  capturedDraft?: InputResponse;
};

export type StepResponse = PrimaryResponse | ScreenCommitResponse;

export type BypassInputResponse = { kind: 'bypass_input'; via: 'skip' | 'go_to_screen' };

/** What the state keeps. Never a password, never a `go_back`, never a wrapper. */
export type StoredResponse = Exclude<PrimaryResponse, { kind: 'go_back' }> | BypassInputResponse;
export type StoredResponses = Readonly<Record<string, StoredResponse>>;

const ELIGIBLE_DRAFT_KINDS: ReadonlySet<string> = new Set([
  'choice',
  'multiChoice',
  'text',
  'scale',
  'wheel',
  'date_time',
  'number_stepper',
  'phone',
  'address',
  'cta',
  'carousel',
]);

/** Whether a response may travel as the consumed draft of `skip` and `end_flow`. */
export function isEligibleConsumedDraft(response: { kind: string }): response is ConsumedDraftPayload {
  return ELIGIBLE_DRAFT_KINDS.has(response.kind);
}

/** Whether the response is the answer of an input layer. */
export function isInputResponse(response: { kind: string }): response is InputResponse {
  return ELIGIBLE_DRAFT_KINDS.has(response.kind) && response.kind !== 'cta' && response.kind !== 'carousel';
}
