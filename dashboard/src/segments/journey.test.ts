import { expect, test } from 'vitest';
import type { FunnelInput } from '../graphql/schema.gen';
import { toCondition, toConditions } from './condition';
import { funnelSegment, pathSegment } from './journey';
import { segmentWords } from './words';

const place = { app: 'a', environment: 'live' };
const goal = { id: 'g', name: 'Sign up', condition: { event: { name: 'sign_up' } } };
const funnel: FunnelInput = {
  steps: [{ name: 'Home', condition: { page: { name: '/' } } }, { goalId: 'g' }],
  by: 'VISITOR',
  order: 'LOOSE',
  windowMinutes: 60,
};
const path = { anchor: { kind: 'PAGE' as const, name: '/' }, steps: 5 };
const step = { number: 1, name: 'Home' };
const said = (rules: object) => segmentWords({ rules, windowDays: 90 }, new Map());

test('a drop-off is a rule that goes on with the days, with the conditions of its goals', () => {
  const begin = funnelSegment(place, { range: '28d', zone: 'UTC' }, { funnel, goals: [goal] }, step)!;
  expect(begin.rules.where?.funnel).toMatchObject({ step: 1, outcome: 'DROPPED', withinDays: 28 });
  expect(begin.rules.where?.funnel?.funnel.steps[1]).toEqual({ name: 'Sign up', condition: goal.condition });
  expect(begin).toMatchObject({ name: 'Dropped off after Home', windowDays: 28, note: undefined });
  expect(said(begin.rules)).toBe('Users who dropped off after “Home” of the funnel Home → Sign up in the last 28 days');
  expect(funnelSegment(place, {}, { funnel, goals: [] }, step)).toBeUndefined(); // its goal is gone
});

test('a period that is over stays as it is, and what makes the count another is said', () => {
  const search = { range: 'yesterday', zone: 'Europe/Berlin', f: ['is,country,DE'], segment: 'x' } as const;
  const begin = funnelSegment(
    place,
    { ...search, f: [...search.f] },
    { funnel: { ...funnel, by: 'SESSION' }, goals: [goal] },
    step,
  )!;
  const { from, to, withinDays } = begin.rules.where!.funnel!;
  expect(Date.parse(to!) - Date.parse(from!)).toBe(86_400_000);
  expect(withinDays).toBeUndefined();
  expect(begin.rules.cross).toBeDefined();
  expect(begin.note).toBe(
    'The count can differ from the report: the report counts sessions and the segment their users; the filters are ' +
      'met by any visit of the segment’s days; the segment in the scope is not part of it.',
  );
  const rolling = funnelSegment(place, { range: '7d', zone: 'Europe/Berlin' }, { funnel, goals: [goal] }, step)!;
  expect(rolling.note).toBe(
    'The count can differ from the report: its days are those of UTC and not of Europe/Berlin.',
  );
});

test('a link of paths is said in the order of time, and its row keeps it', () => {
  const nodes = [
    { step: 2, kind: 'PAGE' as const, name: '/a' },
    { step: 3, kind: 'EVENT' as const, name: 'b' },
  ];
  const { rules, name } = pathSegment(place, { range: '7d', zone: 'UTC' }, path, nodes);
  expect(name).toBe('/a → b');
  expect(said(rules)).toBe('Users with a session on the path / → /a (step 2) → b (step 3) in the last 7 days');
  const before = pathSegment(place, { range: '7d', zone: 'UTC' }, { ...path, direction: 'BEFORE' }, nodes).rules;
  expect(said(before)).toBe('Users with a session on the path b (step 3) → /a (step 2) → / in the last 7 days');
  const not = { not: rules.where! };
  expect(toCondition(toConditions(not))).toEqual(not);
  expect(said({ where: not })).toMatch(/^Users but not those with a session on the path/);
});
