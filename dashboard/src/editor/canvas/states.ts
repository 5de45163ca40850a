import type { InputResponse } from '@svc/core';
import type { ForcedStates } from '@svc/react/edit';
import { isObject } from '../document/canonical';
import { eachNode } from '../document/document';
import type { JsonObject } from '../document/operation';

/** How screens are drawn: as they open, or in a state that they have only while they are used. */
export const states = ['opens', 'answered', 'wrong', 'held', 'busy'] as const;
export type State = (typeof states)[number];

/** What the states are called. */
export const stateNames: Record<State, string> = {
  opens: 'As it opens',
  answered: 'Answered',
  wrong: 'Answer missing',
  held: 'Continue disabled',
  busy: 'Loading',
};

const opens: ForcedStates = {};
const known = new Map<State, WeakMap<JsonObject, ForcedStates>>();

/** What a screen is drawn with in a state; the same object while the screen is the same. */
export function forcedOf(screen: JsonObject, state: State): ForcedStates {
  if (state === 'opens') return opens;
  const all = known.get(state) ?? new WeakMap<JsonObject, ForcedStates>();
  known.set(state, all);
  const forced = all.get(screen) ?? make(screen, state);
  all.set(screen, forced);
  return forced;
}

function make(screen: JsonObject, state: State): ForcedStates {
  switch (state) {
    case 'answered':
      return answers(screen);
    case 'wrong':
      return { input: null, invalid: true, ready: false };
    case 'held':
      return { ready: false };
    case 'busy': {
      const button = firstButton(screen);
      return button === undefined ? opens : { busyLayerId: button };
    }
    case 'opens':
      return opens;
  }
}

/** The answer that a person could give: the first option, or the first two, some words, a tick. */
function answers(screen: JsonObject): ForcedStates {
  let input: InputResponse | undefined;
  const checkboxes: Record<string, boolean> = {};
  visit(screen, ({ kind, fieldKey, optionBindings, classification }) => {
    if (kind === 'checkbox' && typeof fieldKey === 'string') checkboxes[fieldKey] = true;
    const ids = (Array.isArray(optionBindings) ? optionBindings : []).flatMap((one) =>
      isObject(one) && typeof one.optionId === 'string' ? [one.optionId] : [],
    );
    if (kind === 'single_choice' && ids[0] !== undefined) input ??= { kind: 'choice', choiceId: ids[0] };
    if (kind === 'multiple_choice') input ??= { kind: 'multiChoice', choiceIds: ids.slice(0, 2) };
    if (kind === 'text_input')
      input ??= {
        kind: 'text',
        value: 'Alex',
        classification: classification === 'sensitive' ? classification : 'safe',
      };
  });
  return { checkboxes, ...(input && { input }) };
}

/** The button that people go on with: one with a Continue action, else the first that has any other than Back. */
function firstButton(screen: JsonObject): string | undefined {
  let other: string | undefined;
  let goesOn: string | undefined;
  visit(screen, ({ id, kind, action }) => {
    if (kind !== 'button' || typeof id !== 'string') return;
    const does = isObject(action) ? action.kind : undefined;
    if (does !== 'go_back_one_screen') other ??= id;
    if (does === 'continue') goesOn ??= id;
  });
  return goesOn ?? other;
}

function visit(screen: JsonObject, look: (layer: JsonObject) => void) {
  eachNode({ id: String(screen.id), kind: 'screen', object: screen, parent: null, slot: '' }, ({ object }) =>
    look(object),
  );
}
