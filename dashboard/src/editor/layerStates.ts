import type { ForcedStates } from '@svc/react/edit';
import { find, isObject } from './document/canonical';
import { questionAround } from './document/commands/faces';
import { type Document, nodeOf } from './document/document';
import type { NodeId } from './document/operation';
import { screenOf } from './document/selection';

/** States that one layer can be seen in while nobody uses it. */
export type LayerState = 'pressed' | 'focused' | 'disabled' | 'loading' | 'chosen' | 'checked' | 'invalid';

export const layerStateNames: Record<LayerState, string> = {
  pressed: 'Pressed',
  focused: 'Focused',
  disabled: 'Disabled',
  loading: 'Loading',
  chosen: 'Chosen',
  checked: 'Checked',
  invalid: 'Answer missing',
};

/** A layer that is drawn in a state; the document says nothing of it. */
export type Forcing = { layer: NodeId; state: LayerState };

/** What the frame is told of it: what its screen is drawn with, and which look of an element is brought about. */
export type ForcedLayer = { screen: NodeId; layer: NodeId; forced: ForcedStates; look: 'pressed' | 'focused' | null };

const pressable =
  /^(button|back_button|hyperlink|checkbox|oauth_provider|number_stepper_button|email_password_submit)$/;
const fields = /^(text_input|phone_input|address_input|date_time_input|email_password_field)$/;

/** The states that a layer has of its own, as the renderers draw them. None has a look for a pointer over it. */
export function statesOf(document: Document, id: NodeId): LayerState[] {
  const node = nodeOf(document, id);
  if (!node) return [];
  const { kind, object } = node;
  if (fields.test(kind)) return ['focused', 'invalid'];
  const face = questionAround(document, id);
  if (!pressable.test(kind)) return face ? ['pressed', 'focused', 'chosen'] : [];
  const out: LayerState[] = ['pressed', 'focused'];
  const action = find(object.action, ['kind']);
  if (kind === 'back_button' || action === 'go_back_one_screen' || action === 'continue') out.push('disabled');
  if (kind === 'button' && action !== 'none') out.push('loading');
  if (kind === 'checkbox') out.push('checked');
  return out;
}

/** Says how a layer is drawn in a state; undefined where it has no such state any more. */
export function forcedLayer(document: Document, forcing: Forcing | undefined): ForcedLayer | undefined {
  const node = forcing && nodeOf(document, forcing.layer);
  const screen = node && screenOf(document, node.id);
  if (!node || !screen || !statesOf(document, node.id).includes(forcing.state)) return undefined;
  const { layer, state } = forcing;
  const look = state === 'pressed' || state === 'focused' ? state : null;
  return { screen, layer, forced: look ? {} : (bring(document, layer, state) ?? {}), look };
}

function bring(document: Document, layer: NodeId, state: LayerState): ForcedStates | undefined {
  const { object } = nodeOf(document, layer)!;
  switch (state) {
    case 'disabled':
      return find(object.action, ['kind']) === 'continue' ? { ready: false } : { canGoBack: false };
    case 'loading':
      return { busyLayerId: layer };
    case 'invalid':
      return { input: null, invalid: true };
    case 'checked':
      return { checkboxes: { [String(object.fieldKey)]: true } };
    case 'chosen':
      return chosen(document, layer);
  }
  return undefined;
}

/** The answer that chooses the option in whose face a layer stands. */
function chosen(document: Document, layer: NodeId): ForcedStates | undefined {
  const { question, face } = questionAround(document, layer)!;
  const bindings = Array.isArray(question.object.optionBindings) ? question.object.optionBindings : [];
  const id = bindings.filter(isObject).find(({ rootLayerId }) => rootLayerId === face.id)?.optionId;
  if (typeof id !== 'string') return undefined;
  return {
    input:
      question.kind === 'single_choice' ? { kind: 'choice', choiceId: id } : { kind: 'multiChoice', choiceIds: [id] },
  };
}
