import * as v from 'valibot';
import { expect, test } from 'vitest';
import { parseFilter, withRow, writeFilter } from './filters';
import { toComparedFlowScope } from './flowScope';
import { neighbour } from './range';
import {
  comparedRange,
  dependsOn,
  grainOf,
  isCompared,
  rangeOf,
  type ScopeSearch,
  scopeOfSide,
  scopeSchema,
  toScope,
} from './scope';

const now = new Date('2026-11-23T10:30:00Z');
const berlin = (search: ScopeSearch): ScopeSearch => ({ zone: 'Europe/Berlin', ...search });
const bounds = (search: ScopeSearch) => {
  const { start, end } = rangeOf(berlin(search), now);
  return [start.toISOString(), end.toISOString()];
};

test.each<[ScopeSearch, string, string]>([
  [{}, '2026-11-16T23:00:00.000Z', '2026-11-23T10:30:00.000Z'],
  [{ range: 'today' }, '2026-11-22T23:00:00.000Z', '2026-11-23T10:30:00.000Z'],
  [{ range: 'yesterday' }, '2026-11-21T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
  [{ range: '24h' }, '2026-11-22T10:30:00.000Z', '2026-11-23T10:30:00.000Z'],
  [{ range: 'month' }, '2026-10-31T23:00:00.000Z', '2026-11-23T10:30:00.000Z'],
  [{ range: 'last-month' }, '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
  [{ range: '12mo' }, '2025-11-30T23:00:00.000Z', '2026-11-23T10:30:00.000Z'],
  [{ range: 'custom', from: '2026-11-01', to: '2026-11-02' }, '2026-10-31T23:00:00.000Z', '2026-11-02T23:00:00.000Z'],
  [{ range: 'custom', from: '2026-11-02', to: '2026-11-01' }, '2026-10-31T23:00:00.000Z', '2026-11-02T23:00:00.000Z'],
  [{ range: 'custom', from: '2026-11-20', to: '2026-12-31' }, '2026-11-19T23:00:00.000Z', '2026-11-23T10:30:00.000Z'],
])('%j is from %s to %s', (search, start, end) => {
  expect(bounds(search)).toEqual([start, end]);
});

test('what has not ended ends with the minute, so that all who look at the same time ask the same', () => {
  const endsAt = (search: ScopeSearch, at: string) => rangeOf(berlin(search), new Date(at)).end.toISOString();
  for (const range of ['today', '24h', '7d', 'realtime'] as const)
    for (const at of ['2026-11-23T10:29:00.001Z', '2026-11-23T10:29:59.999Z', '2026-11-23T10:30:00.000Z'])
      expect(endsAt({ range }, at)).toBe('2026-11-23T10:30:00.000Z');
  // The last minute of a day is still of that day.
  const last = rangeOf(berlin({ range: 'today' }), new Date('2026-11-23T22:59:30Z'));
  expect([last.start.toISOString(), last.end.toISOString()]).toEqual([
    '2026-11-22T23:00:00.000Z',
    '2026-11-23T23:00:00.000Z',
  ]);
});

test('the period before ends where the range begins, a year before has its days', () => {
  const search = berlin({ range: 'yesterday' });
  expect(comparedRange(search, now)?.end).toEqual(rangeOf(search, now).start);
  expect(comparedRange({ ...search, compare: 'year' }, now)?.start.toISOString()).toBe('2025-11-21T23:00:00.000Z');
  expect(comparedRange({ ...search, compare: 'none' }, now)).toBeUndefined();
});

test('the next range and the one before have its length', () => {
  const range = rangeOf(berlin({}), now);
  expect(neighbour(range, 'Europe/Berlin', -1)).toEqual({ from: '2026-11-10', to: '2026-11-16' });
});

test.each<[ScopeSearch, string]>([
  [{ range: 'today' }, 'HOUR'],
  [{}, 'DAY'],
  [{ grain: 'hour' }, 'HOUR'],
  [{ range: '91d', grain: 'hour' }, 'DAY'], // too many hours
  [{ range: '12mo' }, 'WEEK'],
  [{ range: 'all' }, 'MONTH'],
])('%j has buckets of an %s', (search, grain) => {
  expect(grainOf(search, now)).toBe(grain);
});

test('a bad link opens with what it got right', () => {
  expect(
    v.parse(scopeSchema, { range: 'fortnight', zone: 'Mars/Base', platform: 'ios', segment: '12', from: 'x' }),
  ).toEqual({
    platform: 'ios',
  });
});

test('filters are written as they are read', () => {
  for (const text of ['is,country,DE,FR', 'is_not,source,', 'contains,page,/a\\cb', 'is,campaign,a\\bb']) {
    expect(writeFilter(parseFilter(text)!)).toBe(text);
  }
  for (const text of [
    '',
    'is',
    'is,country',
    'contains,country,D',
    'is,planet,Mars',
    'maybe,country,DE',
    'is,__proto__,x',
  ]) {
    expect(parseFilter(text)).toBeUndefined();
  }
});

test('a click on a row filters by it, a second exclusion joins the first', () => {
  const once = withRow([], 'country', 'DE', true);
  expect(withRow(once, 'country', 'FR', true)).toEqual([
    { operator: 'is_not', dimension: 'country', values: ['DE', 'FR'] },
  ]);
  expect(withRow(once, 'country', 'FR', false)).toEqual([{ operator: 'is', dimension: 'country', values: ['FR'] }]);
});

test('the scope has the filters', () => {
  const scope = toScope(
    { app: 'a', environment: 'test' },
    berlin({ f: ['contains,page,/docs', 'nonsense'], platform: 'web' }),
    now,
  );
  expect(scope).toMatchObject({
    environment: 'TEST',
    platform: 'WEB',
    timeZone: 'Europe/Berlin',
    cross: { page: { op: 'CONTAINS', values: ['/docs'] } },
  });
});

test.each<[ScopeSearch, string, string]>([
  // Seven days to Monday: one whole week before, with the same length to the minute.
  [{ match: 'weekday' }, '2026-11-09T23:00:00.000Z', '2026-11-16T10:30:00.000Z'],
  // 28 days ago and the days since: four weeks before.
  [{ range: '28d', match: 'weekday' }, '2026-09-28T22:00:00.000Z', '2026-10-26T09:30:00.000Z'],
  // A day: the same of the week before, over the change of the clock.
  [
    { range: 'custom', from: '2026-10-26', to: '2026-10-26', match: 'weekday' },
    '2026-10-18T22:00:00.000Z',
    '2026-10-19T22:00:00.000Z',
  ],
  [{ range: 'yesterday', compare: 'year', match: 'weekday' }, '2025-11-22T23:00:00.000Z', '2025-11-23T23:00:00.000Z'],
])('%j is compared with the same days of the week from %s', (search, start, end) => {
  const compared = comparedRange(berlin(search), now)!;
  expect([compared.start.toISOString(), compared.end.toISOString()]).toEqual([start, end]);
  const weekday = (at: Date) => at.toLocaleDateString('en', { weekday: 'long', timeZone: 'Europe/Berlin' });
  expect(weekday(compared.start)).toBe(weekday(rangeOf(berlin(search), now).start));
});

test('other people are compared in the same range, and nobody as long as nobody is named', () => {
  const place = { app: 'a', environment: 'live' };
  const search = berlin({ compare: 'segment', against: 's2', segment: 's1', platform: 'ios' });
  expect(scopeOfSide(place, search, now, 'compared')).toEqual({
    ...scopeOfSide(place, search, now, 'shown'),
    segmentId: 's2',
  });
  expect(isCompared({ ...search, against: undefined })).toBe(false);
  expect(isCompared({ ...search, compare: 'arm' })).toBe(false);
  expect(toComparedFlowScope(place, { compare: 'arm', against: 'x/b' }, 'f', now)).toMatchObject({
    experimentId: 'x',
    variants: ['b'],
  });
  expect(toComparedFlowScope(place, { compare: 'version', against: 'v' }, 'f', now)).toMatchObject({ versions: ['v'] });
  expect(toComparedFlowScope(place, { compare: 'none' }, 'f', now)).toBeUndefined();
});

test('what is shown is not asked again when something else stands beside it', () => {
  const search = berlin({ range: '28d', compare: 'segment', against: 's2', match: 'weekday' });
  expect(dependsOn(search, 'shown')).toEqual(berlin({ range: '28d' }));
  expect(dependsOn(search, 'compared')).toEqual(search);
});
