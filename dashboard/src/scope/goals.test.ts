import { expect, test } from 'vitest';
import { filtersOfCross, parseFilter, toCross } from './filters';
import { goalName, withGoals } from './goals';

const goals = [
  { id: 'a', name: 'Signed up', condition: { event: { name: 'sign_up' } } },
  { id: 'b', name: 'Paid', condition: { purchase: {} } },
];

test('a filter on goals is one by their ids', () => {
  const filter = parseFilter('is_not,goal,a')!;
  expect(toCross([filter])).toEqual({ goal: { op: 'IS_NOT', values: ['a'] } });
  expect(filtersOfCross(toCross([filter]))).toEqual([filter]);
  expect(parseFilter('contains,goal,a')).toBeUndefined();
  expect(goalName(goals, 'b')).toBe('Paid');
  expect(goalName(goals, 'deleted')).toBe('a goal');
});

test('a segment of a filter on goals has their conditions', () => {
  const [a, b] = goals.map(({ condition }) => ({ goal: { condition } }));
  const of = (op: 'IS' | 'IS_NOT', ...values: string[]) => withGoals({ cross: { goal: { op, values } } }, goals);
  expect(of('IS', 'a')).toEqual({ where: a });
  expect(of('IS', 'a', 'b')).toEqual({ where: { any: [a, b] } });
  expect(of('IS_NOT', 'b')).toEqual({ where: { not: b } });
  expect(of('IS_NOT', 'a', 'b')).toEqual({ where: { all: [{ not: a }, { not: b }] } });
  const country = { op: 'IS', values: ['DE'] } as const;
  expect(withGoals({ platform: 'WEB', cross: { country: { ...country, values: ['DE'] } } }, goals)).toEqual({
    platform: 'WEB',
    cross: { country },
  });
  expect(
    withGoals({ platform: 'WEB', cross: { country: { ...country, values: ['DE'] }, goal: { values: ['a'] } } }, goals),
  ).toEqual({ platform: 'WEB', cross: { country }, where: a });
});
