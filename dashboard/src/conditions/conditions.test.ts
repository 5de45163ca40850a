import { expect, test } from 'vitest';
import type { GoalConditionInput } from '../graphql/schema.gen';
import { byRuns, conditionOf, describe, draftOf, emptyDraft, nameOf, suggested } from './conditions';

const flows = [
  { id: 'f1', name: 'Welcome' },
  { id: 'f2', name: 'Paywall' },
];

test.each([
  [{ event: { name: 'buy' } }, 'Event is buy', 'buy'],
  [{ page: { op: 'IS', name: '/blog/**' } }, 'Page is /blog/**', 'Viewed /blog/**'],
  [{ screen: { op: 'CONTAINS', name: 'Home' } }, 'Screen contains Home', 'Viewed Home'],
  [{ flow: { flowId: 'f1', outcome: 'COMPLETED' } }, 'Flow Welcome completed', 'Welcome completed'],
  [
    { flow: { flowId: 'f2', outcome: 'STEP_REACHED', step: 'plans' } },
    'Flow Paywall reached the step plans',
    'Paywall reached plans',
  ],
  [{ purchase: {} }, 'Purchase', 'Purchase'],
  [
    { purchase: { provider: 'STRIPE', maxUsd: 9, products: ['a', 'b'], minUsd: 5 } },
    'Purchase of a or b by Stripe for at least $5 and at most $9',
    'Purchase',
  ],
] as [GoalConditionInput, string, string][])(
  '%j is what its form asks for, and has words',
  (condition, words, name) => {
    const draft = draftOf(condition);
    expect(conditionOf(draft, condition)).toEqual(condition);
    expect(describe(condition, flows)).toBe(words);
    expect(nameOf(draft, flows)).toBe(name);
  },
);

test('a step is said by its name, and by its ID once no version has it', () => {
  const steps = [{ id: 'scr_1', name: 'Plans' }];
  const reached = (step: string) => ({ flow: { flowId: 'f2', outcome: 'STEP_REACHED' as const, step } });
  expect(describe(reached('scr_1'), flows, steps)).toBe('Flow Paywall reached the step Plans');
  expect(nameOf(draftOf(reached('scr_1')), flows, steps)).toBe('Paywall reached Plans');
  expect(describe(reached('scr_9'), flows, steps)).toBe('Flow Paywall reached the step scr_9');
});

test('a form that lacks something asks for nothing', () => {
  expect(conditionOf({ ...emptyDraft, text: ' ' })).toBeUndefined();
  expect(conditionOf({ ...emptyDraft, kind: 'page' })).toBeUndefined();
  expect(conditionOf({ ...emptyDraft, kind: 'flow' })).toBeUndefined();
  expect(conditionOf({ ...emptyDraft, kind: 'flow', flow: 'f1', outcome: 'STEP_REACHED' })).toBeUndefined();
  expect(conditionOf({ ...emptyDraft, kind: 'purchase', least: 'much' })).toBeUndefined();
  expect(describe({ flow: { flowId: 'gone', outcome: 'STARTED' } }, flows)).toBe('Flow A deleted flow started');
});

test('suggested is what happens and is no goal yet', () => {
  const happened = {
    events: {
      nodes: [
        { name: 'page_view', visitors: 9, builtIn: true },
        { name: 'buy', visitors: 5, builtIn: false },
        { name: 'Outbound link', visitors: 2, builtIn: false },
      ],
    },
    screens: {
      nodes: [
        { value: '/404', kind: 'PAGE' as const, visitors: 3 },
        { value: 'Home', kind: 'SCREEN' as const, visitors: 3 },
      ],
    },
  };
  const goals = [
    { condition: { event: { name: 'buy' } } },
    { condition: { flow: { flowId: 'f1', outcome: 'COMPLETED' } } },
  ];
  expect(suggested(happened, flows, goals).map((draft) => nameOf(draft, flows))).toEqual([
    'Outbound link',
    'Paywall completed',
    'Purchase',
    'Viewed /404',
  ]);
});

test('flows with more runs come first', () => {
  const named = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: id }));
  const order = (runs: string[]) =>
    byRuns(named, { appFlowOverview: { nodes: runs.map((flowId) => ({ flowId })) } }).map(({ id }) => id);
  expect(order(['c', 'b'])).toEqual(['c', 'b', 'a', 'd']);
  expect(order(['of another app', 'd'])).toEqual(['d', 'a', 'b', 'c']);
  expect(byRuns(named, undefined)).toEqual(named);
});
