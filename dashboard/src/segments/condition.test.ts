import { describe, expect, test } from 'vitest';
import type { SegmentCondition, SegmentRulesInput } from '../graphql/schema.gen';
import { about, type Clause, incomplete, subjects, toCondition, toConditions } from './condition';
import { segmentWords } from './words';

const flow = '01890000-0000-7000-8000-000000000001';
const variant = '01890000-0000-7000-8000-000000000002';
const names = new Map([
  [flow, 'Welcome'],
  [variant, 'Short of Paywall test'],
]);

const signUp = { event: { name: 'sign_up' } };
names.set(JSON.stringify(signUp), 'Sign up');

const conditions: [SegmentCondition, string][] = [
  [{ person: { field: 'COUNTRY', op: 'IS', texts: ['DE', 'AT'] } }, 'Users whose country is Germany or Austria.'],
  [{ person: { field: 'EMAIL', op: 'EXISTS' } }, 'Users whose email is known.'],
  [{ person: { field: 'CUSTOM_USER_ID', op: 'IS_NOT', texts: [''] } }, 'Users whose user ID is not (none).'],
  [{ attribute: { key: 'plan', op: 'IS', texts: ['pro'] } }, 'Users whose plan is pro.'],
  [{ attribute: { key: 'age', op: 'AT_LEAST', number: 18 } }, 'Users whose age is at least 18.'],
  [{ attribute: { key: 'beta', op: 'IS', flag: false } }, 'Users whose beta is no.'],
  [{ seen: { which: 'FIRST', withinDays: 7 } }, 'Users who were first seen in the last 7 days.'],
  [{ seen: { which: 'LAST', beforeDays: 30 } }, 'Users who were last seen more than 30 days ago.'],
  [
    {
      event: { name: 'watered', atLeast: 3, withinDays: 30, properties: [{ key: 'plant', op: 'IS', texts: ['fern'] }] },
    },
    'Users who did “watered” where plant is fern at least 3 times in the last 30 days.',
  ],
  [{ not: { event: { name: 'watered', source: 'TRACK' } } }, 'Users who did not do “watered”.'],
  [
    { flow: { flowId: flow, variantId: variant, outcome: 'COMPLETED' } },
    'Users who completed Welcome as variant Short of Paywall test.',
  ],
  [
    { not: { flow: { outcome: 'STARTED', lastStep: 'goal', answers: [{ field: 'age', options: ['a', 'b'] }] } } },
    'Users who did not start any flow with the last step goal, with age answered a or b.',
  ],
  [{ flow: { flowId: variant.replace('2', '9'), outcome: 'ABANDONED' } }, 'Users who abandoned a deleted flow.'],
  [{ money: { kind: 'REVENUE', usd: 50, withinDays: 1 } }, 'Users who paid at least $50 today.'],
  [
    {
      not: {
        money: { kind: 'PURCHASED', products: ['year'], from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
      },
    },
    'Users who did not purchase of year from 2026-01-01 to 2026-02-01.',
  ],
  [{ goal: { condition: signUp, withinDays: 7 } }, 'Users who met the goal “Sign up” in the last 7 days.'],
  [{ not: { goal: { condition: { page: { name: '/' } } } } }, 'Users who did not meet the goal “Page is /”.'],
  [{ not: { money: { kind: 'SUBSCRIBED' } } }, 'Users who have no paid subscription.'],
  [
    {
      all: [
        { attribute: { key: 'a', op: 'EXISTS' } },
        { any: [{ attribute: { key: 'b', op: 'ABSENT' } }, { money: { kind: 'TRIALING' } }] },
      ],
    },
    'Users whose a is known and (whose b is not known or who have a trial).',
  ],
  [
    { not: { any: [{ money: { kind: 'REFUNDED' } }, { attribute: { key: 'a', op: 'EXISTS' } }] } },
    'Users but not those who got a refund or whose a is known.',
  ],
];

const said = (rules: SegmentRulesInput | null, importedCount = 0) =>
  `${segmentWords({ rules, windowDays: 90, importedCount }, names)}.`;

describe('conditions of segments', () => {
  test.each(conditions)('%j is read, written as it was, and said', (condition, words) => {
    expect(toCondition(toConditions(condition))).toEqual(condition);
    expect(said({ where: condition })).toBe(words);
    expect(incomplete(toConditions(condition))).toBeUndefined();
  });

  test('what a new row lacks is found, also in a group', () => {
    const needsValue = subjects.filter(({ begin }) => incomplete({ is: 'clause', ...begin })).map(({ id }) => id);
    expect(needsValue).toEqual(
      subjects.map(({ id }) => id).filter((id) => /^(event|person|goal)/.test(id) || id === 'attribute'),
    );
    const row: Clause = { is: 'clause', kind: 'event', of: { name: '' }, not: false };
    const whole: Clause = { is: 'clause', kind: 'money', of: { kind: 'TRIALING' }, not: false };
    expect(incomplete({ is: 'group', match: 'any', parts: [whole, { is: 'group', match: 'all', parts: [row] }] })).toBe(
      row,
    );
  });

  test('another field keeps how it is compared, another kind begins anew', () => {
    const country: Clause = { is: 'clause', kind: 'person', of: { field: 'COUNTRY', op: 'IS_NOT', texts: ['x'] } };
    const subject = (wanted: string) => subjects.find(({ id }) => id === wanted)!;
    expect(about(subject('person LOCALE'), country)).toEqual({ ...country, of: { ...country.of, field: 'LOCALE' } });
    expect(about(subject('flow'), country)).toMatchObject({ kind: 'flow', not: false });
  });
});

test('a segment says its visits, its conditions and who was imported', () => {
  const rules: SegmentRulesInput = { platform: 'IOS', cross: { country: { op: 'IS', values: ['DE'] } } };
  expect(said(rules)).toBe('Users with a visit in the last 90 days where Platform is iOS and Country is Germany.');
  expect(said({ ...rules, where: { attribute: { key: 'a', op: 'EXISTS' } } }, 1)).toBe(
    'Users with a visit in the last 90 days where Platform is iOS and Country is Germany and whose a is known, and 1 imported user.',
  );
  expect(said({})).toBe('Users with a visit in the last 90 days.');
  expect(said(null, 12)).toBe('12 imported users.');
  expect(said(null)).toBe('Nobody yet: no users were imported.');
});
