import type { FlowEvent, FlowEventName } from '@svc/core';
import { expect, test } from 'vitest';
import { asksPermission, attributesOf } from '../attributes';
import { open } from '../document/document';
import type { JsonObject } from '../document/operation';
import { subjectsOf } from '../subjects';
import { trailOf } from './trail';
import { answerWords, reasonWords, stepName } from './words';

let seq = 0;
const event = (name: FlowEventName, second: number, more: Partial<FlowEvent> = {}) =>
  ({ name, seq: seq++, timestamp: new Date(second * 1000).toISOString(), ...more }) as FlowEvent;

const predicate = (variable: JsonObject, type: string, pred: JsonObject): JsonObject => ({
  kind: 'predicate',
  variable,
  predicate: { type, pred },
});
const sdk = (key: string) => ({ kind: 'sdk', key });

const flow: JsonObject = {
  defaultLocale: 'en',
  entryScreenId: 'scr_goal',
  sdkAttributeKeys: ['plan', 'age', 'paying', 'unused', 'mixed', 'plan'],
  screens: [
    {
      id: 'scr_goal',
      name: 'Goal',
      regions: { body: { kind: 'stack', id: 'lyr_body', axis: 'vertical', children: [] } },
      next: { default: 'dec_platform' },
    },
  ],
  decisionNodes: [
    {
      id: 'dec_platform',
      name: 'Platform',
      elseNext: null,
      cases: [
        {
          id: 'case_ios',
          next: 'scr_goal',
          expression: predicate({ kind: 'builtin', name: 'platform' }, 'string', { op: 'eq', value: 'ios' }),
        },
        { id: 'case_plan', next: null, expression: predicate(sdk('plan'), 'string', { op: 'eq', value: 'pro' }) },
        { id: 'case_age', next: null, expression: predicate(sdk('age'), 'number', { op: 'gte', value: 18 }) },
        { id: 'case_pays', next: null, expression: predicate(sdk('paying'), 'boolean', { op: 'eq', value: true }) },
        {
          id: 'case_mixed',
          next: null,
          expression: {
            kind: 'group',
            op: 'and',
            children: [
              predicate(sdk('mixed'), 'number', { op: 'gte', value: 18 }),
              predicate(sdk('mixed'), 'string', { op: 'eq', value: 'many' }),
            ],
          },
        },
      ],
    },
  ],
};

test('a path has every step with its time, and why the run came to it', () => {
  const trail = trailOf([
    event('flow_started', 0),
    event('step_viewed', 0, { stepId: 'a' }),
    event('choice_selected', 4, { stepId: 'a', properties: { field_key: 'goal', value: 'b' } }),
    event('choice_selected', 4, { stepId: 'a', properties: { field_key: 'goal', value: 'c' } }),
    event('decision_evaluated', 4, { properties: { decision_node_id: 'd', matched_case_id: 'c' } }),
    event('decision_evaluated', 4, { properties: { decision_node_id: 'e', matched_case_id: null } }),
    event('step_completed', 4, { stepId: 'a' }),
    event('surface_presented', 4, { stepId: 's' }),
    event('surface_outcome', 6, { stepId: 's', properties: { outcome: 'dismissed' } }),
    event('step_viewed', 6, { stepId: 'b' }),
    event('step_viewed', 7, { stepId: 'a' }),
    event('step_skipped', 9, { stepId: 'a' }),
    event('flow_completed', 9),
  ]);
  expect(trail.map(({ step, because, from, to }) => [step, because, (to! - from) / 1000])).toEqual([
    ['a', [], 4],
    [
      's',
      [
        { is: 'answer', field: 'goal', options: ['b', 'c'] },
        { is: 'decision', decision: 'd', matched: 'c' },
        { is: 'decision', decision: 'e', matched: null },
      ],
      2,
    ],
    ['b', [{ is: 'outcome', outcome: 'dismissed' }], 1],
    ['a', [{ is: 'back' }], 2],
    [null, [{ is: 'skipped' }], 0],
  ]);
});

test('the last step of a path lasts, and events from the middle of a run make a path too', () => {
  expect(trailOf([])).toEqual([]);
  expect(
    trailOf([event('step_completed', 1, { stepId: 'x' }), event('step_viewed', 1, { stepId: 'a' })]),
  ).toMatchObject([{ step: 'a', because: [], from: 1000 }]);
  expect(trailOf([event('step_viewed', 1, { stepId: 'a' })])[0]).not.toHaveProperty('to');
});

test('reasons are sentences, also when what they are about was removed', () => {
  const document = open(flow);
  const subjects = subjectsOf(document);
  const words = (decision: string, matched: string | null) =>
    reasonWords(document, { is: 'decision', decision, matched }, subjects);
  expect(words('dec_platform', 'case_ios')).toBe('“Platform”: Platform is iOS');
  expect(words('dec_platform', null)).toBe('“Platform”: no case holds');
  expect(words('dec_platform', 'case_gone')).toBe('“Platform”: a case that was removed since');
  expect(words('dec_gone', null)).toBe('A decision that was removed since');
  expect(reasonWords(document, { is: 'outcome', outcome: 'dismissed' }, subjects)).toBe('Dismissed');
  expect(reasonWords(document, { is: 'answer', field: 'my_goal', options: ['sleep_well', 'run'] }, subjects)).toBe(
    'My goal: Sleep well, Run',
  );
  expect(stepName(document, 'scr_goal')).toBe('Goal');
  expect(stepName(document, 'scr_gone')).toBe('Removed since');
  expect(stepName(document, null)).toBe('The end');
});

test('answers are named, and what answers no question is left out', () => {
  const options = [{ value: 'b', label: 'Build muscle' }];
  const subject = {
    variable: { kind: 'field', fieldKey: 'goal' },
    name: 'Goal',
    group: '',
    answer: 'option',
    options,
  } as const;
  const words = (response: Parameters<typeof answerWords>[1], key = 'goal') => answerWords(key, response, [subject]);
  expect(words({ kind: 'choice', choiceId: 'b' })).toEqual({ name: 'Goal', value: 'Build muscle' });
  expect(words({ kind: 'multiChoice', choiceIds: ['b', 'lose_weight'] })?.value).toBe('Build muscle, Lose weight');
  expect(words({ kind: 'multiChoice', choiceIds: [] })?.value).toBe('Nothing');
  expect(words({ kind: 'checkbox', fieldKey: 'terms', value: false }, 'terms')).toEqual({ name: 'Terms', value: 'No' });
  expect(words({ kind: 'bypass_input', via: 'skip' })?.value).toBe('Skipped');
  expect(words({ kind: 'cta', action: 'primary' }, 'scr_goal')).toBeUndefined();
});

test('attributes have the types that conditions compare them by', () => {
  expect(attributesOf(flow)).toEqual([
    { key: 'plan', type: 'text', values: ['pro'] },
    { key: 'age', type: 'number', values: [] },
    { key: 'paying', type: 'yes', values: [] },
    { key: 'unused', type: 'text', values: [] },
    { key: 'mixed', type: 'text', values: ['many'] },
  ]);
  expect(attributesOf({})).toEqual([]);
  expect(asksPermission(flow)).toBe(false);
  expect(asksPermission({ screens: [{ action: { kind: 'request_os_permission' } }] })).toBe(true);
});
