import { isObject } from '../document/canonical';
import type { Json, Operation } from '../document/operation';
import { markOf } from './marks';

/** How far a translation is beyond being there, as XLIFF 2 names it. */
export type State = 'reviewed' | 'final';

/** Where states stand, by the key of their text, then by language. */
export const statesPlace = ['builderMeta', 'states'];

/** A state with what it was said of: words that changed since, or whose source did, are not reviewed. */
const written = (state: State, source: string, words: string) => `${state} ${markOf(`${source}\n${words}`)}`;

/** Reads the state of a translation from those of its text; '' for one that is there and no more. */
export function stateIn(states: Json | undefined, locale: string, source: string, words: string): State | '' {
  const said = isObject(states) ? states[locale] : undefined;
  return (['reviewed', 'final'] as const).find((state) => said === written(state, source, words)) ?? '';
}

/** Writes the state of a translation; '' takes it away. */
export function writeState(key: string, locale: string, state: State | '', source: string, words: string): Operation {
  const at = { node: 'flow', path: [...statesPlace, key, locale] };
  return state === '' ? { op: 'unset', ...at } : { op: 'set', ...at, value: written(state, source, words) };
}
