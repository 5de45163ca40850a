import { expect, test } from 'vitest';
import {
  daysOf,
  formatDifference,
  formatTickOf,
  groupsOf,
  metricNames,
  missingUsers,
  nameOfMetric,
  reachOf,
  roleOf,
  sideOf,
  ticksAround,
} from './metrics';
import type { Metric } from './queries';

const metric = (control: number, treatment: number, compared = true): Metric => ({
  metric: 'COMPLETION',
  goal: null,
  primary: true,
  unit: 'SHARE',
  phase: 'RUNNING',
  variants: [
    { variant: 'control', people: control, maturing: 0, value: 0.4, interval: null },
    { variant: 'other', people: treatment, maturing: 0, value: 0.5, interval: null },
  ],
  comparisons: compared
    ? [
        {
          variant: 'other',
          difference: 0.1,
          interval: { low: -0.1, high: 0.3 },
          lift: 0.25,
          p: 1,
          chanceToWin: 0.9,
          verdict: 'UNDECIDED',
          sentence: '',
        },
      ]
    : [],
  series: [],
});

test('the server says which metric decides, and every metric has a name', () => {
  expect(new Set(Object.values(metricNames)).size).toBe(Object.keys(metricNames).length);
  const goal = { metric: 'GOAL', goal: { id: '1', name: 'Signed up' } } as const;
  expect(nameOfMetric(goal)).toBe('Signed up');
  expect([
    roleOf({ ...goal, primary: true }),
    roleOf({ ...goal, primary: false }),
    roleOf({ metric: 'COMPLETION', primary: false }),
    roleOf({ metric: 'REFUND_RATE', primary: false }),
  ]).toEqual(['primary', 'secondary', 'secondary', 'guardrail']);
});

test('a group without metrics is left out', () => {
  const other = { ...metric(300, 300), primary: false };
  const named = (metrics: readonly Metric[]) => groupsOf(metrics).map(({ name, metrics }) => [name, metrics.length]);
  expect(named([metric(300, 300), other])).toEqual([['Secondary metrics', 1]]);
  expect(named([{ ...other, metric: 'REVENUE' }])).toEqual([['Guardrails', 1]]);
  expect(named([other, { ...other, metric: 'REVENUE' }])).toEqual([
    ['Guardrails', 1],
    ['Secondary metrics', 1],
  ]);
});

test.each([
  [metric(300, 400), 269, undefined],
  [metric(300, 268), 269, { has: 268, needs: 269 }],
  [metric(99, 400), 20, { has: 99, needs: 100 }],
  [metric(197, 314, false), 269, undefined], // a median
  [metric(0, 2, false), 269, { has: 0, needs: 100 }],
])('below the planned users nothing is said: case %#', (of, planned, missing) => {
  expect(missingUsers(of, 'other', planned)).toEqual(missing);
});

test('an unknown variant has nobody', () => {
  expect(missingUsers(metric(300, 300), 'third', 200)).toEqual({ has: 0, needs: 200 });
});

test('what is better is said by the verdict: fewer refunds are', () => {
  const [comparison] = metric(300, 300).comparisons;
  expect(sideOf({ ...comparison!, difference: -0.1, verdict: 'WINNING' })).toBe('better');
  expect(sideOf({ ...comparison!, difference: 0.1, verdict: 'LOSING' })).toBe('worse');
  for (const verdict of ['UNDECIDED', 'TOO_EARLY', 'NONE'] as const)
    expect(sideOf({ ...comparison!, verdict })).toBe('either');
});

test.each([
  [0.2165, 'SHARE', '+21.6 pts'],
  [-0.003, 'SHARE', '−0.3 pts'],
  [0, 'SHARE', '0.0 pts'],
  [-0.0002, 'SHARE', '0.0 pts'],
  [1.5, 'USD', '+$1.50'],
  [-0.08, 'USD', '−$0.08'],
  [-75, 'SECONDS', '−1m 15s'],
] as const)('%s of %s is %s', (value, unit, text) => {
  expect(formatDifference(value, unit)).toBe(text);
});

test.each([
  [0, 'SHARE', 'Control'],
  [0.4, 'SHARE', '+40 pts'],
  [-0.025, 'SHARE', '−2.5 pts'],
  [10, 'USD', '+$10'],
] as const)('the tick %s of %s is %s', (tick, unit, text) => {
  expect(formatTickOf(tick, unit)).toBe(text);
});

test('days begin with the first interval, and show the smaller variant’s users', () => {
  const variant = (people: number, value: number | null, interval: { low: number; high: number } | null) => [
    { variant: 'control', people: 10, value: 0.4, interval: null },
    { variant: 'other', people, value, interval },
  ];
  const series = [
    { day: 'a', variants: variant(0, null, null) },
    { day: 'b', variants: variant(8, 0.5, { low: -1, high: 1.2 }) },
    { day: 'c', variants: variant(12, 0.6, { low: -0.2, high: 0.6 }) },
  ];
  const days = daysOf({ ...metric(1, 1), series }, 'other');
  expect(days.map(({ day, users }) => [day, users])).toEqual([
    ['b', 8],
    ['c', 10],
  ]);
  expect(days[1]!.difference).toBeCloseTo(0.2);
  expect(daysOf({ ...metric(1, 1), series }, 'third')).toEqual([]);
  // The first interval is out of sight, the last is in it.
  expect(reachOf(days)).toBeCloseTo(0.69);
});

test('the chart of an experiment without an interval has an axis too', () => {
  expect(reachOf([])).toBe(1);
});

test('the axis reaches as far below zero as above', () => {
  for (let i = 1; i < 500; i++) {
    const ticks = ticksAround(i * 0.013);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(i * 0.013 * (1 - 1e-9));
    expect(ticks.map((tick) => -tick + 0).reverse()).toEqual(ticks.map((tick) => tick + 0));
    expect(ticks.length).toBeLessThanOrEqual(7);
  }
});
