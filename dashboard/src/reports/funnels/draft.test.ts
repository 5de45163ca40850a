import { expect, test } from 'vitest';
import { emptyDraft } from '../../conditions/conditions';
import {
  type Definition,
  draftOfFunnel,
  funnelOf,
  minutesOf,
  nameOfFunnel,
  newDraft,
  rulesOf,
  stepOf,
  suggestedSteps,
  windowWords,
  withCondition,
} from './draft';

const flows = [{ id: 'f1', name: 'Welcome' }];
const goals = [{ id: 'g1', name: 'First plant' }];

const whole: Definition = {
  steps: [
    { name: 'Home', condition: { page: { op: 'IS', name: '/' } } },
    { goalId: 'g1' },
    { condition: { purchase: { provider: 'STRIPE', minUsd: 5 } } },
  ],
  exclusions: [{ event: { name: 'signed_out' } }],
  by: 'VISITOR',
  order: 'STRICT',
  windowMinutes: 36 * 60,
};

test.each([
  [
    whole,
    'Visitors, within 36 hours of the first step, in strict order, without “Event is signed_out” between two steps',
  ],
  [{ ...whole, exclusions: [], order: 'LOOSE', windowMinutes: 90 }, 'Visitors, within 90 minutes of the first step'],
  [{ ...whole, exclusions: [], by: 'SESSION', order: 'LOOSE', windowMinutes: 1440 }, 'Sessions, each by itself'],
] as [Definition, string][])('a funnel is what its form asks for, and has words', (funnel, words) => {
  expect(funnelOf(draftOfFunnel(funnel))).toEqual(funnel);
  expect(rulesOf(funnel, flows)).toBe(words);
});

test('a form that lacks something asks for nothing', () => {
  const draft = draftOfFunnel(whole);
  expect(funnelOf(newDraft())).toBeUndefined();
  expect(funnelOf({ ...draft, steps: [...draft.steps, stepOf()] })).toBeUndefined();
  expect(funnelOf({ ...draft, steps: [...draft.steps, { ...stepOf(), goal: '' }] })).toBeUndefined();
  expect(funnelOf({ ...draft, exclusions: [stepOf()] })).toBeUndefined();
  expect(funnelOf({ ...draft, window: 'a while' })).toBeUndefined();
});

test.each([
  ['1', 'minutes', 1],
  ['90', 'days', 129_600],
  ['1.5', 'hours', 90],
  ['91', 'days', undefined],
  ['0', 'minutes', undefined],
  ['-1', 'days', undefined],
  ['', 'days', undefined],
  ['week', 'days', undefined],
] as const)('a window of %s %s', (window, unit, minutes) => expect(minutesOf(window, unit)).toBe(minutes));

test('windows have words', () => {
  expect([1, 60, 1440, 10_080, 90].map(windowWords)).toEqual(['1 minute', '1 hour', '1 day', '7 days', '90 minutes']);
});

test('a name that nobody typed follows the condition', () => {
  const steps = [{ id: 'scr_1', name: 'Plans' }];
  const reached = { kind: 'flow', flow: 'f1', outcome: 'STEP_REACHED', step: 'scr_1' } as const;
  const viewed = withCondition(stepOf(), { kind: 'page', text: '/a' }, flows, []);
  expect(viewed.name).toBe('Viewed /a');
  const flow = withCondition(viewed, reached, flows, steps);
  expect(flow.name).toBe('Welcome reached Plans');
  expect(withCondition({ ...flow, name: 'Mine' }, { step: 'scr_2' }, flows, steps).name).toBe('Mine');
  expect(withCondition({ ...stepOf(), goal: 'g1' }, { text: 'buy' }, flows, []).goal).toBeUndefined();
});

test('a funnel is called by where it begins and ends', () => {
  const begin = stepOf(emptyDraft, 'Home');
  const end = { ...stepOf(), goal: 'g1' };
  expect(nameOfFunnel({ steps: [begin, stepOf(), end] }, goals)).toBe('Home → First plant');
  expect(nameOfFunnel({ steps: [begin, stepOf()] }, goals)).toBe('');
});

test('what happened most is suggested', () => {
  const happened = {
    events: {
      nodes: [
        { name: 'page_view', visitors: 9, builtIn: true },
        { name: 'buy', visitors: 5, builtIn: false },
      ],
    },
    screens: { nodes: [{ value: '/', kind: 'PAGE' as const, visitors: 7 }] },
  };
  expect(suggestedSteps(happened, flows).map((steps) => steps.map(({ kind, text }) => [kind, text]))).toEqual([
    [
      ['page', '/'],
      ['event', 'buy'],
    ],
    [
      ['flow', ''],
      ['flow', ''],
      ['purchase', ''],
    ],
  ]);
  expect(suggestedSteps(undefined, [])).toEqual([]);
});
