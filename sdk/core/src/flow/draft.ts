import type { CheckboxLayer, InputLayer, Layer, MultipleChoiceLayer } from '../manifest/types';
import { isDateTimeValue } from './date-time';
import { activeCheckboxes, activeInput, hasContinueButton } from './layers';
import { snapToStep } from './numeric';
import { defaultPhoneCountry, PHONE_COUNTRIES, toE164 } from './phone';
import type { InputResponse, PrimaryResponse, StepResponse } from './responses';
import { draftProblem, normalizeAddress } from './validation';
import { initialWheelId } from './wheel';

/** What the visitor entered on the current screen and has not submitted. One per screen, reset when it changes. */
export interface ScreenDraft {
  /** Null until something is entered, where the kind has no starting value. */
  input: InputResponse | null;
  checkboxes: Readonly<Record<string, boolean>>;
}

/** The draft an input starts with (runtime.md §6). */
export function initialInputDraft(layer: InputLayer, currentYear: number): InputResponse | null {
  switch (layer.kind) {
    case 'single_choice': {
      const { defaultOptionId: choiceId, optionBindings } = layer;
      const known = choiceId !== undefined && optionBindings.some(({ optionId }) => optionId === choiceId);
      return known ? { kind: 'choice', choiceId } : null;
    }
    case 'scale_input':
      return { kind: 'scale', value: snapToStep(layer.defaultValue ?? layer.min, layer) };
    case 'number_stepper':
      return {
        kind: 'number_stepper',
        value: snapToStep(layer.defaultValue ?? layer.min, layer),
        classification: layer.classification,
      };
    case 'wheel_picker': {
      const value = initialWheelId(layer, currentYear);
      return value === undefined ? null : { kind: 'wheel', value };
    }
    case 'date_time_input': {
      const value = layer.defaultValue;
      return value !== undefined && isDateTimeValue(value, layer.mode ?? 'date')
        ? { kind: 'date_time', value, classification: layer.classification }
        : null;
    }
    case 'phone_input':
      return {
        kind: 'phone',
        value: '',
        countryCode: defaultPhoneCountry(layer).code,
        nationalNumber: '',
        classification: layer.classification,
      };
    case 'address_input':
      return {
        kind: 'address',
        value: { line1: '', city: '', postalCode: '', country: (layer.defaultCountryCode ?? 'US').toUpperCase() },
        classification: layer.classification,
      };
    default:
      return null;
  }
}

export function initialScreenDraft(layers: readonly Layer[], currentYear: number): ScreenDraft {
  const input = activeInput(layers);
  return { input: input ? initialInputDraft(input, currentYear) : null, checkboxes: {} };
}

/** Toggles an option of a multiple choice; a tap beyond `maxSelections` changes nothing, no selection is no draft. */
export function toggleChoice(
  layer: MultipleChoiceLayer,
  draft: InputResponse | null,
  optionId: string,
): InputResponse | null {
  const selected = draft?.kind === 'multiChoice' ? draft.choiceIds : [];
  if (selected.includes(optionId)) {
    const rest = selected.filter((id) => id !== optionId);
    return rest.length > 0 ? { kind: 'multiChoice', choiceIds: rest } : null;
  }
  if (layer.maxSelections !== undefined && selected.length >= layer.maxSelections) return draft;
  return { kind: 'multiChoice', choiceIds: [...selected, optionId] };
}

/** Whether a tap on an option of a single choice submits it at once: only where no Continue button shows. */
export function submitsOnTap(layers: readonly Layer[]): boolean {
  return !hasContinueButton(layers);
}

/** The response that a draft becomes when it is sent: text trimmed, addresses and phone numbers normalized. */
export function draftResponse(layer: InputLayer, draft: InputResponse | null): InputResponse | null {
  switch (layer.kind) {
    case 'text_input': {
      const value = draft?.kind === 'text' ? draft.value : '';
      if (draft === null && (layer.required ?? true)) return null;
      const sent = layer.inputType === 'multiline' ? value : value.trim();
      return { kind: 'text', value: sent, classification: layer.classification };
    }
    case 'date_time_input':
      if (draft === null && (layer.required ?? true)) return null;
      return draft ?? { kind: 'date_time', value: '', classification: layer.classification };
    case 'phone_input': {
      if (draft?.kind !== 'phone') return null;
      const country = PHONE_COUNTRIES.find((candidate) => candidate.code === draft.countryCode);
      return { ...draft, value: country ? toE164(country, draft.nationalNumber) : '' };
    }
    case 'address_input':
      return draft?.kind === 'address' ? { ...draft, value: normalizeAddress(draft.value) } : null;
    case 'multiple_choice':
      return draft ?? (layer.minSelections === 0 ? { kind: 'multiChoice', choiceIds: [] } : null);
    default:
      return draft;
  }
}

function isOpenBlocker(checkbox: CheckboxLayer, draft: ScreenDraft): boolean {
  return checkbox.blocking === true && draft.checkboxes[checkbox.fieldKey] !== true;
}

/** Whether Continue is enabled: the draft is valid and every blocking checkbox is ticked. */
export function canContinue(layers: readonly Layer[], draft: ScreenDraft, currentYear: number): boolean {
  if (activeCheckboxes(layers).some((checkbox) => isOpenBlocker(checkbox, draft))) return false;
  const input = activeInput(layers);
  if (!input || !hasContinueButton(layers)) return true;
  return draftProblem(input, draft.input, currentYear) === null;
}

function withCheckboxes(layers: readonly Layer[], draft: ScreenDraft, primary: PrimaryResponse): StepResponse {
  const checkboxes = activeCheckboxes(layers);
  if (checkboxes.length === 0) return primary;
  const values = checkboxes.map((layer) => [layer.fieldKey, draft.checkboxes[layer.fieldKey] === true] as const);
  return { kind: 'screen_commit', primary, checkboxValues: Object.fromEntries(values) };
}

/** What Continue submits; null when there is an input that has nothing to send. */
export function continueResponse(layers: readonly Layer[], draft: ScreenDraft): StepResponse | null {
  const input = activeInput(layers);
  if (!input) return withCheckboxes(layers, draft, { kind: 'cta', action: 'primary' });
  const response = draftResponse(input, draft.input);
  return response && withCheckboxes(layers, draft, response);
}

/** What a tap on a single-choice option submits where there is no Continue button. */
export function choiceTapResponse(layers: readonly Layer[], draft: ScreenDraft, optionId: string): StepResponse {
  return withCheckboxes(layers, draft, { kind: 'choice', choiceId: optionId });
}

/** What an end-flow button submits: the draft goes along when there is one. */
export function endFlowResponse(layers: readonly Layer[], draft: ScreenDraft): StepResponse {
  const input = activeInput(layers);
  const consumedDraft = input && draft.input ? draftResponse(input, draft.input) : null;
  return withCheckboxes(layers, draft, { kind: 'end_flow', ...(consumedDraft ? { consumedDraft } : {}) });
}

/** What an app-review button submits: the draft and the checkboxes are kept with it. */
export function appReviewResponse(
  layers: readonly Layer[],
  draft: ScreenDraft,
  layerId: string,
  outcome: 'not_shown' | 'dismissed',
): StepResponse {
  const primary: PrimaryResponse = { kind: 'app_review_outcome', layerId, outcome };
  const input = activeInput(layers);
  const capturedDraft = input && draft.input ? draftResponse(input, draft.input) : null;
  const wrapped = withCheckboxes(layers, draft, primary);
  if (!capturedDraft) return wrapped;
  if (wrapped.kind === 'screen_commit') return { ...wrapped, capturedDraft };
  return { kind: 'screen_commit', primary, checkboxValues: {}, capturedDraft };
}
