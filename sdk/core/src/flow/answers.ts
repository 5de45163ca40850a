import type { Classification, Layer } from '../manifest/types';
import { allScreenLayers, isInputLayer } from './layers';
import type { AddressValue, OAuthProviderPayload, StoredResponse, StoredResponses } from './responses';
import { type FlowState, findScreen } from './state';
import { normalizeAddress } from './validation';

/** One answer as hosts receive it (wire.md §6.2). */
export type AnswerValue =
  | string
  | number
  | boolean
  | null
  | string[]
  | { value: string; classification: Classification }
  | { value: string; countryCode: string; nationalNumber: string; classification: Classification }
  | { value: AddressValue; classification: Classification }
  | { goToScreen: string }
  | { bypassed: true; via: 'skip' | 'go_to_screen' }
  | { outcome: string }
  | { success: boolean; customerExternalId?: string; provider: OAuthProviderPayload }
  | { success: boolean; mode: 'sign_in' | 'sign_up'; email: string };
export type FlowTerminalAnswerMap = Record<string, AnswerValue>;

const AUTH_KEY_PREFIXES = ['oauth:', 'email_pw:'];

/** Keys of authentication results, which never leave the device. */
export function isAuthTerminalExportResponseKey(key: string): boolean {
  return AUTH_KEY_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** A copy of a response or answer map without authentication results. */
export function stripAuthResponsesForTerminalExport<T>(responses: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(responses).filter(([key]) => !isAuthTerminalExportResponseKey(key)));
}

/** The answer value of a stored response. */
export function stepResponseToCompletionValue(response: StoredResponse): AnswerValue {
  switch (response.kind) {
    case 'choice':
      return response.choiceId;
    case 'multiChoice':
      return [...response.choiceIds];
    case 'text':
    case 'date_time':
      return { value: response.value, classification: response.classification };
    case 'scale':
    case 'wheel':
    case 'number_stepper':
    case 'checkbox':
      return response.value;
    case 'phone': {
      const { value, countryCode, nationalNumber, classification } = response;
      return { value, countryCode, nationalNumber, classification };
    }
    case 'address':
      return { value: normalizeAddress(response.value), classification: response.classification };
    case 'permission_outcome':
    case 'app_review_outcome':
      return response.outcome;
    case 'cta':
      return response.action;
    case 'carousel':
    case 'skip':
    case 'end_flow':
      return response.kind;
    case 'go_to_screen':
      return { goToScreen: response.screenId };
    case 'bypass_input':
      return { bypassed: true, via: response.via };
    case 'external_surface_outcome':
      return { outcome: response.outcome };
    case 'oauth_login_resolve': {
      const { success, customerExternalId, provider } = response;
      return { success, ...(customerExternalId === undefined ? {} : { customerExternalId }), provider };
    }
    case 'email_password_auth_resolve':
      return { success: response.success, mode: response.mode, email: response.email };
  }
}

function toValues(responses: StoredResponses): FlowTerminalAnswerMap {
  return Object.fromEntries(
    Object.entries(responses).map(([key, response]) => [key, stepResponseToCompletionValue(response)]),
  );
}

/** All stored responses as values, authentication included; only its size goes on the wire, as `responseCount`. */
export function buildCompletionResponses(state: FlowState): FlowTerminalAnswerMap {
  return toValues(state.responses);
}

/** Key under which a layer's answer is exported; null for layers that capture none. */
function answerKey(layer: Layer): string | null {
  if (isInputLayer(layer) || layer.kind === 'checkbox') return layer.fieldKey;
  if (layer.kind !== 'button') return null;
  if (layer.action.kind === 'request_os_permission') return `permission:${layer.action.permissionKey}`;
  return layer.action.kind === 'request_app_review' ? `app_review:${layer.id}` : null;
}

/** The exported answers: every stored one, and null for whatever a visited screen asked without an answer. */
export function buildTerminalAnswers(state: FlowState): FlowTerminalAnswerMap {
  const answers: FlowTerminalAnswerMap = {};
  const visited = new Set([...state.history, ...(state.currentScreenId ? [state.currentScreenId] : [])]);
  for (const id of visited) {
    const screen = findScreen(state.manifest, id);
    for (const layer of screen ? allScreenLayers(screen) : []) {
      const key = answerKey(layer);
      if (key !== null) answers[key] = null;
    }
  }
  return stripAuthResponsesForTerminalExport({ ...answers, ...toValues(state.responses) });
}
