import { expect, test } from 'vitest';
import { type Flow, open } from './document/document';
import type { JsonObject } from './document/operation';
import { forcedLayer, type LayerState, statesOf } from './layerStates';

const button = (id: string, kind: string) => ({ id, kind: 'button', action: { kind }, children: [] });
const faces = ['a', 'b'].map((id) => ({
  id: `lyr_${id}`,
  kind: 'stack',
  direction: 'vertical',
  children: [{ id: `lyr_${id}_text`, kind: 'text', text: { default: id } }],
}));
const choice = (kind: string) => ({
  id: `lyr_${kind}`,
  kind,
  fieldKey: kind,
  children: faces.map((face) => ({
    ...face,
    id: `${face.id}_${kind}`,
    children: [{ ...face.children[0], id: `${face.id}_text_${kind}` }],
  })),
  optionBindings: ['a', 'b'].map((id) => ({ optionId: id, rootLayerId: `lyr_${id}_${kind}` })),
});
const children = [
  button('lyr_go', 'continue'),
  button('lyr_skip', 'skip'),
  button('lyr_none', 'none'),
  { id: 'lyr_back', kind: 'back_button', children: [] },
  { id: 'lyr_terms', kind: 'checkbox', fieldKey: 'terms' },
  { id: 'lyr_words', kind: 'text_input', fieldKey: 'words' },
  { id: 'lyr_text', kind: 'text', text: { default: 'Text' } },
  choice('single_choice'),
  choice('multiple_choice'),
];
const body = { id: 'lyr_body', kind: 'stack', direction: 'vertical', children };
const flow = { screens: [{ id: 'scr_a', name: 'A', next: { default: null }, regions: { body } }] };
const document = open(flow as unknown as Flow);
const forced = (layer: string, state: LayerState) => forcedLayer(document, { layer, state });

test('layers have the states that renderers draw of them, and no others', () => {
  const expected: Record<string, LayerState[]> = {
    lyr_go: ['pressed', 'focused', 'disabled', 'loading'],
    lyr_skip: ['pressed', 'focused', 'loading'],
    lyr_none: ['pressed', 'focused'],
    lyr_back: ['pressed', 'focused', 'disabled'],
    lyr_terms: ['pressed', 'focused', 'checked'],
    lyr_words: ['focused', 'invalid'],
    lyr_a_single_choice: ['pressed', 'focused', 'chosen'],
    lyr_a_text_single_choice: ['pressed', 'focused', 'chosen'],
    lyr_text: [],
    lyr_body: [],
    scr_a: [],
    lyr_gone: [],
  };
  for (const [id, states] of Object.entries(expected)) expect(statesOf(document, id), id).toEqual(states);
});

test('a state is brought about by what the screen is drawn with, or by a look', () => {
  const of = (layer: string, state: LayerState) => {
    const { screen, forced: is, look } = forced(layer, state)!;
    expect(screen).toBe('scr_a');
    return look ?? (is as JsonObject);
  };
  expect(of('lyr_go', 'pressed')).toBe('pressed');
  expect(of('lyr_words', 'focused')).toBe('focused');
  expect(of('lyr_go', 'disabled')).toEqual({ ready: false });
  expect(of('lyr_back', 'disabled')).toEqual({ canGoBack: false });
  expect(of('lyr_skip', 'loading')).toEqual({ busyLayerId: 'lyr_skip' });
  expect(of('lyr_terms', 'checked')).toEqual({ checkboxes: { terms: true } });
  expect(of('lyr_words', 'invalid')).toEqual({ input: null, invalid: true });
  expect(of('lyr_b_text_single_choice', 'chosen')).toEqual({ input: { kind: 'choice', choiceId: 'b' } });
  expect(of('lyr_b_multiple_choice', 'chosen')).toEqual({ input: { kind: 'multiChoice', choiceIds: ['b'] } });
});

test('what is gone, or has the state no more, is drawn as it is', () => {
  expect(forcedLayer(document, undefined)).toBeUndefined();
  expect(forced('lyr_gone', 'pressed')).toBeUndefined();
  expect(forced('lyr_skip', 'disabled')).toBeUndefined();
});
