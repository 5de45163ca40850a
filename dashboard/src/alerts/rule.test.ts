import { expect, test } from 'vitest';
import { formatSpan } from './format';
import { type Draft, draftOf, emptyDraft, ruleOf, describe as sentence } from './rule';

const draft = (part: Partial<Draft>): Draft => ({ ...emptyDraft, ...part });

test('a rule is drafted as it was written', () => {
  const drafts: Draft[] = [
    emptyDraft,
    draft({ kind: 'above', metric: 'BOUNCE_RATE', number: '62.5', grain: 'DAY', breaches: 1, of: 3 }),
    draft({ kind: 'below', number: '10', platform: 'IOS', segment: 's', quietFrom: '22:00', quietUntil: '07:00' }),
    draft({ kind: 'change', metric: 'CONVERSIONS', goal: 'g', number: '30', direction: 'EITHER' }),
    draft({ filters: [{ dimension: 'country', operator: 'is', values: ['DE', 'FR'] }], sensitivity: 'HIGH' }),
  ];
  for (const before of drafts) expect(draftOf(ruleOf(before, 'UTC')!)).toEqual(before);
});

test('shares are typed as percent', () => {
  expect(ruleOf(draft({ kind: 'above', metric: 'BOUNCE_RATE', number: '50' }), 'UTC')!.condition).toEqual({
    above: 0.5,
  });
});

test('silence is of no metric and of no hours', () => {
  const rule = ruleOf(draft({ kind: 'silent', metric: 'REVENUE', grain: 'DAY', number: '15', of: 4 }), 'UTC')!;
  expect(rule).toMatchObject({ metric: 'VISITORS', grain: 'HOUR', breaches: 1, of: 1 });
});

test('what is incomplete is no rule', () => {
  for (const part of [
    { kind: 'above', number: '' },
    { kind: 'above', number: 'many' },
    { kind: 'silent', number: '4' },
    { kind: 'silent', number: '7.5' },
    { kind: 'change', number: '0' },
    { metric: 'CONVERTERS' },
    { quietFrom: '22:00' },
    { quietFrom: '22:00', quietUntil: '22:00' },
  ] satisfies Partial<Draft>[]) {
    expect(ruleOf(draft(part), 'UTC'), JSON.stringify(part)).toBeUndefined();
  }
});

test('rules are sentences', () => {
  const named = { goals: [{ id: 'g', name: '<b>Sign up</b>' }], segments: [{ id: 's', name: 'Regulars' }] };
  const said = (part: Partial<Draft>) => sentence(ruleOf(draft(part), 'UTC')!, named);
  expect(said({})).toBe('Visitors per hour unusually low for the hour and weekday, 2 of 2 times');
  expect(said({ kind: 'silent', number: '15' })).toBe('No event for 15 minutes');
  expect(said({ kind: 'above', metric: 'CONVERSION_RATE', goal: 'g', number: '5', of: 1, grain: 'DAY' })).toBe(
    'Conversion rate of <b>Sign up</b> per day above 5 %',
  );
  expect(
    said({
      kind: 'change',
      number: '30',
      platform: 'WEB',
      segment: 's',
      filters: [{ dimension: 'country', operator: 'is_not', values: ['DE'] }],
    }),
  ).toBe(
    'Visitors per hour fall by 30 % against the week before, on the web, in Regulars, country is not Germany, 2 of 2 times',
  );
});

test('a time of firing has a length', () => {
  expect(formatSpan('2026-01-05T10:00:00Z', '2026-01-05T11:30:00Z', 'UTC')).toMatch(/, for 90 minutes$/);
  expect(formatSpan('2026-01-05T10:00:00Z', '2026-01-05T15:00:00Z', 'UTC')).toMatch(/, for 5 hours$/);
  expect(formatSpan('2026-01-05T10:00:00Z', '2026-01-08T10:00:00Z', 'UTC')).toMatch(/, for 3 days$/);
  expect(formatSpan('2026-01-05T10:00:00Z', null, 'UTC')).toMatch(/not resolved yet$/);
});
