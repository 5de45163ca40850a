import type { ButtonLayer, FlowTarget, InputLayer, Layer, Screen } from '../manifest/types';
import type { ExpressionContext } from './expression';
import { type DecisionTelemetry, type LandingFault, land } from './landing';
import { activeInput, activeScreenLayers, allScreenLayers, isInputLayer, isManualSubmitInput } from './layers';
import { own } from './record';
import {
  type InputResponse,
  isEligibleConsumedDraft,
  isInputResponse,
  type PrimaryResponse,
  type ScreenCommitResponse,
  type StepResponse,
  type StoredResponse,
  type StoredResponses,
  type SurfaceOutcomeResponse,
} from './responses';
import { type FlowState, findExternalSurface, findScreen } from './state';

export interface StepOptions {
  /** ISO 8601 time of the step; without it the current time of the JavaScript engine is taken. */
  now?: string;
  /**
   * Called for every decision that the step passes, in order.
   *
   * @internal
   */
  onDecisionEvaluated?: (telemetry: DecisionTelemetry) => void;
  /**
   * Called when a broken graph ended the run.
   *
   * @internal
   */
  onFault?: (fault: LandingFault) => void;
}

export function expressionContext(state: FlowState): ExpressionContext {
  const { locale, platform, sdkAttributes } = state.session;
  return { locale, platform, sdkAttributes, responses: state.responses };
}

/** The layers of the current screen with conditionals resolved from the stored responses. */
export function currentActiveLayers(state: FlowState): Layer[] {
  const screen = findScreen(state.manifest, state.currentScreenId);
  return screen ? activeScreenLayers(screen, expressionContext(state)) : [];
}

function moveTo(state: FlowState, target: FlowTarget | undefined, options: StepOptions): FlowState {
  const landing = land(state.manifest, target, expressionContext(state), options.onDecisionEvaluated);
  switch (landing.kind) {
    case 'screen':
      return {
        ...state,
        currentScreenId: landing.id,
        pendingExternalSurface: null,
        history: [...state.history, landing.id],
      };
    case 'surface':
      return {
        ...state,
        currentScreenId: null,
        pendingExternalSurface: { nodeId: landing.id },
        history: [...state.history, landing.id],
      };
    case 'end':
      if (landing.fault) options.onFault?.(landing.fault);
      return complete(state, options);
  }
}

function complete(state: FlowState, options: StepOptions): FlowState {
  return {
    ...state,
    currentScreenId: null,
    pendingExternalSurface: null,
    status: 'completed',
    completedAt: options.now ?? new Date().toISOString(),
  };
}

/** Starts a run at the manifest's entry; without an entry the state stays idle. */
export function startFlow(state: FlowState, options: StepOptions = {}): FlowState {
  const { entryScreenId } = state.manifest;
  if (entryScreenId === null) return state;
  const now = options.now ?? new Date().toISOString();
  const running: FlowState = {
    ...state,
    currentScreenId: null,
    pendingExternalSurface: null,
    history: [],
    responses: {},
    status: 'running',
    startedAt: now,
    completedAt: null,
  };
  const landed = moveTo(running, entryScreenId, { ...options, now });
  return landed.status === 'completed' ? { ...landed, history: [entryScreenId] } : landed;
}

/** Marks the run abandoned. There is no guard: callers check that it is running. */
export function abandonFlow(state: FlowState, now?: string): FlowState {
  return { ...state, status: 'abandoned', completedAt: now ?? new Date().toISOString() };
}

/**
 * Applies one response (runtime.md §2). Returns the same state when the run is not running, when another
 * surface is pending, or when the response does not fit the current screen.
 */
export function submitResponse(state: FlowState, response: StepResponse, options: StepOptions = {}): FlowState {
  if (state.status !== 'running') return state;
  if (response.kind === 'external_surface_outcome') return submitSurfaceOutcome(state, response, options);
  if (state.pendingExternalSurface) return state;
  const screen = findScreen(state.manifest, state.currentScreenId);
  if (!screen) return state;
  if (response.kind === 'screen_commit') return submitCommit(state, screen, response, options);
  return submitPrimary(state, screen, response, options);
}

function submitSurfaceOutcome(state: FlowState, response: SurfaceOutcomeResponse, options: StepOptions): FlowState {
  if (state.pendingExternalSurface?.nodeId !== response.nodeId) return state;
  const node = findExternalSurface(state.manifest, response.nodeId);
  const patch = response.sdkKeyPatch ?? {};
  const patched: FlowState = {
    ...state,
    // Decisions on the way to the next screen must see what the surface wrote.
    session: {
      ...state.session,
      sdkAttributes: { ...state.session.sdkAttributes, ...patch },
      surfaceKeys: { ...state.session.surfaceKeys, ...patch },
    },
    responses: { ...state.responses, [`surface_${response.nodeId}`]: response },
  };
  return moveTo(patched, node?.outcomes[response.outcome] ?? node?.fallback, options);
}

function submitCommit(state: FlowState, screen: Screen, commit: ScreenCommitResponse, options: StepOptions): FlowState {
  const responses: Record<string, StoredResponse> = { ...state.responses };
  for (const [fieldKey, value] of Object.entries(commit.checkboxValues)) {
    responses[fieldKey] = { kind: 'checkbox', fieldKey, value };
  }
  // Checkboxes can switch conditional branches of the same screen, so the input is looked up after them.
  let next: FlowState = { ...state, responses };
  const active = activeScreenLayers(screen, expressionContext(next));
  const input = activeInput(active);
  if (commit.capturedDraft && input && answers(input, commit.capturedDraft)) {
    next = { ...next, responses: { ...next.responses, [input.fieldKey]: commit.capturedDraft } };
  }
  next = { ...next, responses: pruneInactiveAnswers(next.responses, screen, active) };
  const submitted = submitPrimary(next, screen, commit.primary, options);
  return submitted === next ? state : submitted;
}

/** Drops answers whose field exists only in branches of the screen that do not show. */
function pruneInactiveAnswers(responses: StoredResponses, screen: Screen, active: readonly Layer[]): StoredResponses {
  const fieldKeyOf = (layer: Layer) => (isInputLayer(layer) || layer.kind === 'checkbox' ? layer.fieldKey : null);
  const shown = new Set(active.map(fieldKeyOf));
  const stale = allScreenLayers(screen)
    .map(fieldKeyOf)
    .filter((key): key is string => key !== null && !shown.has(key));
  if (!stale.some((key) => own(responses, key) !== undefined)) return responses;
  return Object.fromEntries(Object.entries(responses).filter(([key]) => !stale.includes(key)));
}

const RESPONSE_KIND_OF_INPUT: Record<InputLayer['kind'], InputResponse['kind']> = {
  single_choice: 'choice',
  multiple_choice: 'multiChoice',
  text_input: 'text',
  scale_input: 'scale',
  wheel_picker: 'wheel',
  date_time_input: 'date_time',
  number_stepper: 'number_stepper',
  phone_input: 'phone',
  address_input: 'address',
};

function answers(input: InputLayer, response: InputResponse): boolean {
  if (RESPONSE_KIND_OF_INPUT[input.kind] !== response.kind) return false;
  if (input.kind !== 'single_choice' && input.kind !== 'multiple_choice') return true;
  const known = new Set(input.optionBindings.map((binding) => binding.optionId));
  if (response.kind === 'choice') return known.has(response.choiceId);
  return response.kind === 'multiChoice' && response.choiceIds.every((id) => known.has(id));
}

/** Where an answered input leads: the authored branch of a choice, else the screen's default. */
function targetOfInput(screen: Screen, input: InputLayer, response: InputResponse): FlowTarget {
  const fallback = screen.next.default;
  if ((input.kind !== 'single_choice' && input.kind !== 'multiple_choice') || !input.branching.enabled) return fallback;
  const { conditions } = input.branching;
  const match = conditions.find((condition) =>
    response.kind === 'choice'
      ? condition.choiceId === response.choiceId
      : response.kind === 'multiChoice' && response.choiceIds.includes(condition.choiceId),
  );
  return match ? match.goTo : fallback;
}

function submitPrimary(state: FlowState, screen: Screen, response: PrimaryResponse, options: StepOptions): FlowState {
  const active = activeScreenLayers(screen, expressionContext(state));
  const input = activeInput(active);
  const store = (entries: Record<string, StoredResponse>): FlowState => ({
    ...state,
    responses: { ...state.responses, ...entries },
  });
  const bypass = (via: 'skip' | 'go_to_screen'): Record<string, StoredResponse> =>
    input && isManualSubmitInput(input) ? { [input.fieldKey]: { kind: 'bypass_input', via } } : {};

  if (isInputResponse(response)) {
    if (!input || !answers(input, response)) return state;
    return moveTo(store({ [input.fieldKey]: response }), targetOfInput(screen, input, response), options);
  }
  switch (response.kind) {
    case 'checkbox':
      return moveTo(store({ [response.fieldKey]: response }), screen.next.default, options);
    case 'cta':
    case 'carousel':
      return moveTo(store({ [screen.id]: response }), screen.next.default, options);
    case 'skip':
      return moveTo(store({ ...bypass('skip'), [screen.id]: { kind: 'skip' } }), screen.next.default, options);
    case 'end_flow': {
      const draft = response.consumedDraft;
      const captured: Record<string, StoredResponse> = {};
      if (draft && isEligibleConsumedDraft(draft) && isInputResponse(draft) && input && answers(input, draft)) {
        captured[input.fieldKey] = draft;
      }
      return complete(store({ ...captured, [screen.id]: { kind: 'end_flow' } }), options);
    }
    case 'go_to_screen':
      return moveTo(store({ ...bypass('go_to_screen'), [screen.id]: response }), response.screenId, options);
    case 'go_back':
      return goBack(state, response.fallbackScreenId);
    case 'permission_outcome': {
      const next = store({ [`permission:${response.permissionKey}`]: response });
      const outcome = permissionTarget(active, response.layerId, response.outcome);
      if (outcome === 'end') return complete(next, options);
      return moveTo(next, outcome === undefined || outcome === 'continue' ? screen.next.default : outcome, options);
    }
    case 'app_review_outcome':
      return moveTo(store({ [`app_review:${response.layerId}`]: response }), screen.next.default, options);
    case 'oauth_login_resolve': {
      const next = store({ [`oauth:${response.layerId}`]: response });
      return response.success ? moveTo(next, screen.next.default, options) : next;
    }
    case 'email_password_auth_resolve': {
      // Rebuilt field by field: a caller in plain JavaScript may have left the password on the object.
      const { kind, layerId, fieldKey, mode, email, success, error } = response;
      const kept: StoredResponse = { kind, layerId, fieldKey, mode, email, success, ...(error ? { error } : {}) };
      const next = store({ [`email_pw:${layerId}`]: kept });
      return success ? moveTo(next, screen.next.default, options) : next;
    }
    default:
      return state;
  }
}

function permissionTarget(
  active: readonly Layer[],
  layerId: string,
  outcome: 'granted' | 'denied' | 'blocked',
): string | undefined {
  const button = active.find((layer): layer is ButtonLayer => layer.kind === 'button' && layer.id === layerId);
  return button?.action.kind === 'request_os_permission' ? button.action.outcomes[outcome] : undefined;
}

/** The history after going back one screen, or null when there is nowhere to go (runtime.md §2.3). */
function historyAfterBack(state: FlowState, fallbackScreenId: string | undefined): readonly string[] | null {
  let length = state.history.length - 1;
  // A surface is no place to return to: it has already reported.
  while (length > 0 && !findScreen(state.manifest, state.history[length - 1] ?? null)) length -= 1;
  if (length > 0) return state.history.slice(0, length);
  return fallbackScreenId && findScreen(state.manifest, fallbackScreenId) ? [fallbackScreenId] : null;
}

function goBack(state: FlowState, fallbackScreenId: string | undefined): FlowState {
  const history = historyAfterBack(state, fallbackScreenId);
  if (!history) return state;
  return { ...state, history, currentScreenId: history[history.length - 1] ?? null };
}

/** Whether a back button with this fallback would do something; renderers disable it otherwise. */
export function canGoBack(state: FlowState, fallbackScreenId?: string): boolean {
  return (
    state.status === 'running' && !state.pendingExternalSurface && historyAfterBack(state, fallbackScreenId) !== null
  );
}
