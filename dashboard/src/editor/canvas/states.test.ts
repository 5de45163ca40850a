import { expect, test } from 'vitest';
import type { JsonObject } from '../document/operation';
import { forcedOf, type State } from './states';

const screen = (...children: object[]) =>
  ({ id: 'scr_a', regions: { body: { id: 'lyr_a', kind: 'stack', children } } }) as unknown as JsonObject;

const choice = (kind: string) => ({
  id: 'lyr_choice',
  kind,
  fieldKey: 'goal',
  children: [],
  optionBindings: ['a', 'b', 'c'].map((optionId) => ({ optionId, stackId: `lyr_${optionId}` })),
});
const button = (id: string, kind: string) => ({ id, kind: 'button', action: { kind }, children: [] });

test('a screen is answered by what its input takes', () => {
  expect(forcedOf(screen(choice('single_choice')), 'answered').input).toEqual({ kind: 'choice', choiceId: 'a' });
  const many = screen(choice('multiple_choice'), { id: 'lyr_c', kind: 'checkbox', fieldKey: 'terms' });
  expect(forcedOf(many, 'answered')).toEqual({
    input: { kind: 'multiChoice', choiceIds: ['a', 'b'] },
    checkboxes: { terms: true },
  });
  // What starts with a value keeps it.
  expect(forcedOf(screen({ id: 'lyr_s', kind: 'scale_input', min: 1, max: 5 }), 'answered')).toEqual({
    checkboxes: {},
  });
});

test('the button that goes on is the one that loads', () => {
  const both = screen(button('lyr_skip', 'skip'), button('lyr_go', 'continue'));
  expect(forcedOf(both, 'busy')).toEqual({ busyLayerId: 'lyr_go' });
  expect(forcedOf(screen(button('lyr_back', 'go_back_one_screen'), button('lyr_only', 'skip')), 'busy')).toEqual({
    busyLayerId: 'lyr_only',
  });
  expect(forcedOf(screen(), 'busy')).toEqual({});
});

test('a screen that did not change is drawn with the same object', () => {
  const one = screen(choice('single_choice'));
  for (const state of ['opens', 'answered', 'wrong', 'held', 'busy'] satisfies State[])
    expect(forcedOf(one, state)).toBe(forcedOf(one, state));
});
