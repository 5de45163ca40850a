import { canonicalJson } from '../flow/digest';
import { activeInput, isManualSubmitInput } from '../flow/layers';
import { type InputResponse, isInputResponse, type PrimaryResponse, type StepResponse } from '../flow/responses';
import type { Classification, InputLayer, Layer } from '../manifest/types';
import type { FlowEventInput } from './flow-event';

/** Stands for a sensitive answer, which does not leave the device; the server writes the same. */
export const REDACTED_VALUE = '__redacted__';

function submitted(stepId: string, fieldKey: string, value: string, classification: Classification): FlowEventInput {
  const sent = classification === 'sensitive' ? REDACTED_VALUE : value;
  return {
    name: 'text_submitted',
    stepId,
    properties: { field_key: fieldKey, value: sent },
    fieldClassification: classification,
  };
}

function selected(stepId: string, fieldKey: string, value: string): FlowEventInput {
  return { name: 'choice_selected', stepId, properties: { field_key: fieldKey, value } };
}

function captureInput(stepId: string, input: InputLayer, response: InputResponse): FlowEventInput[] {
  const { fieldKey } = input;
  const classification = 'classification' in input ? input.classification : 'safe';
  switch (response.kind) {
    case 'choice':
      return [selected(stepId, fieldKey, response.choiceId)];
    case 'multiChoice':
      return response.choiceIds.map((id) => selected(stepId, fieldKey, id));
    case 'wheel':
      return input.kind === 'wheel_picker' && input.mode === 'date'
        ? [submitted(stepId, fieldKey, response.value, 'safe')]
        : [selected(stepId, fieldKey, response.value)];
    case 'scale':
      return [submitted(stepId, fieldKey, String(response.value), 'safe')];
    case 'address':
      return [submitted(stepId, fieldKey, canonicalJson(response.value), classification)];
    case 'text':
    case 'date_time':
    case 'phone':
    case 'number_stepper':
      return [submitted(stepId, fieldKey, String(response.value), classification)];
  }
}

function capturePrimary(stepId: string, input: InputLayer | undefined, response: PrimaryResponse): FlowEventInput[] {
  if (isInputResponse(response)) return input ? captureInput(stepId, input, response) : [];
  switch (response.kind) {
    case 'checkbox':
      return [submitted(stepId, response.fieldKey, String(response.value), 'safe')];
    case 'permission_outcome':
      return [submitted(stepId, `permission:${response.permissionKey}`, response.outcome, 'safe')];
    case 'app_review_outcome':
      return [submitted(stepId, `app_review:${response.layerId}`, response.outcome, 'safe')];
    case 'end_flow': {
      const draft = response.consumedDraft;
      return draft && input && isInputResponse(draft) ? captureInput(stepId, input, draft) : [];
    }
    default:
      return [];
  }
}

/**
 * The events that record the answers of a response.
 *
 * @param layers the layers that showed when the response was made
 */
export function captureEvents(stepId: string, layers: readonly Layer[], response: StepResponse): FlowEventInput[] {
  const input = activeInput(layers);
  if (response.kind !== 'screen_commit') return capturePrimary(stepId, input, response);
  const { checkboxValues, capturedDraft, primary } = response;
  return [
    ...Object.entries(checkboxValues).map(([fieldKey, value]) => submitted(stepId, fieldKey, String(value), 'safe')),
    ...(capturedDraft && input ? captureInput(stepId, input, capturedDraft) : []),
    ...capturePrimary(stepId, input, primary),
  ];
}

/** Properties of `step_skipped` and of a jump that pass an input without an answer. */
export function bypassProperties(layers: readonly Layer[]): FlowEventInput['properties'] {
  const input = activeInput(layers);
  return input && isManualSubmitInput(input) ? { field_key: input.fieldKey, empty_capture: true } : undefined;
}
