import * as v from 'valibot';
import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from '../app/address';
import { scopeSchema } from './scope';
import { expanded, filtersOfRules, sameFilters } from './segments';
import { type SavedView, searchOf, shows, toViewScope } from './views';

const segment = '01900000-0000-7000-8000-000000000001';
const read = (text: string) => v.parse(scopeSchema, parseSearch(text));
/** What the server gives back of what it was given. */
const stored = (text: string): SavedView => {
  const { cross, ...scope } = toViewScope(read(text));
  const { from = null, to = null, timeZone = null, grain = null, platform = null } = scope;
  return {
    id: 'v',
    name: 'View',
    scope: {
      period: scope.period!,
      comparison: scope.comparison!,
      matchWeekdays: scope.matchWeekdays!,
      segmentId: scope.segmentId ?? null,
      against: scope.against ?? null,
      cross: cross ?? null,
      ...{ from, to, timeZone, grain, platform },
    },
  };
};

test.each([
  '?range=12mo&grain=month&zone=Asia/Kathmandu&platform=ios',
  '?range=custom&from=2026-01-01&to=2026-01-31&compare=year&match=weekday',
  `?range=today&segment=${segment}&compare=segment&against=${segment}`,
  '?range=7d&f=is_not,country,DE,&f=contains,page,/a\\cb&compare=none',
  '?range=7d&compare=arm&against=x/a',
])('%s is the same after it was saved and applied', (text) => {
  const view = stored(text);
  expect(read(stringifySearch(searchOf(view.scope, [])))).toEqual(read(text));
  expect(shows(read(text), view)).toBe(true);
  expect(shows(read(`${text}&f=is,os,iOS`), view)).toBe(false);
});

test('a view shows the same whether the address says the usual or leaves it out, and with filters in any order', () => {
  expect(shows({}, stored('?range=7d'))).toBe(true);
  expect(shows(read('?f=is,os,iOS&f=is,country,DE'), stored('?f=is,country,DE&f=is,os,iOS'))).toBe(true);
});

test('what a period without its days or a comparison without its other side would say is not saved', () => {
  expect(toViewScope(read('?range=custom&from=2026-01-01'))).toMatchObject({ period: 'LAST_7_DAYS', from: null });
  expect(toViewScope(read('?compare=segment'))).toMatchObject({ comparison: 'PREVIOUS', against: null });
});

test('a link keeps what a segment of sessions chooses by, and none of what it cannot say', () => {
  const rules = { platform: 'IOS', cross: { country: { op: 'IS', values: ['DE', 'FR'] } } };
  expect(filtersOfRules(rules)).toEqual(['platform,ios', 'is,country,DE,FR']);
  expect(filtersOfRules({ ...rules, where: { event: { name: 'buy' } } })).toBeUndefined();
  expect(filtersOfRules(null)).toBeUndefined();
  expect(sameFilters(['b', 'a'], ['a', 'b'])).toBe(true);
  expect(sameFilters(['a'], undefined)).toBe(false);
});

test('a link whose segment is there no more shows its filters beside those in force', () => {
  expect(expanded({ segment, sf: ['platform,ios', 'is,country,DE'], f: ['is,os,iOS'] })).toEqual({
    segment: undefined,
    sf: undefined,
    platform: 'ios',
    f: ['is,country,DE', 'is,os,iOS'],
  });
});
