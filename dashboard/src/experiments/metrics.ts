import { ticksTo } from '../charts/geometry';
import type { ExperimentMetricKind, ExperimentUnit } from '../graphql/schema.gen';
import { type FigureKind, formatShort } from '../ui/format';
import type { Metric } from './queries';

/** What a metric is for: the one that decides, those that must not get worse, and the others. */
export type Role = 'primary' | 'guardrail' | 'secondary';

export const metricNames: Record<ExperimentMetricKind, string> = {
  GOAL: 'Goal',
  COMPLETION: 'Completed',
  CONVERSION: 'Purchase or trial',
  REVENUE: 'Revenue per user',
  REVENUE_WINSORIZED: 'Revenue per user, without outliers',
  TRIAL_CONVERSION: 'Trial conversion',
  REFUND_RATE: 'Refunded',
  TIME_TO_COMPLETE: 'Median time to complete',
};

/** The name of a metric, which is that of its goal. */
export const nameOfMetric = ({ metric, goal }: Pick<Metric, 'metric' | 'goal'>): string =>
  goal?.name ?? metricNames[metric];

const guardrails: readonly ExperimentMetricKind[] = ['REVENUE', 'REFUND_RATE'];

export const roleOf = ({ metric, primary }: Pick<Metric, 'metric' | 'primary'>): Role =>
  primary ? 'primary' : guardrails.includes(metric) ? 'guardrail' : 'secondary';

const groups: readonly { role: Role; name: string }[] = [
  { role: 'guardrail', name: 'Guardrails' },
  { role: 'secondary', name: 'Secondary metrics' },
];

/** The metrics that do not decide, by what they are for; a group without any is left out. */
export const groupsOf = (metrics: readonly Metric[]) =>
  groups
    .map((group) => ({ ...group, metrics: metrics.filter((metric) => roleOf(metric) === group.role) }))
    .filter(({ metrics }) => metrics.length > 0);

const kinds: Record<ExperimentUnit, FigureKind> = { SHARE: 'share', USD: 'money', SECONDS: 'seconds' };

export const kindOf = ({ unit }: Pick<Metric, 'unit'>): FigureKind => kinds[unit];

/** Below it nothing is said of a variant, as on the server. */
const leastUsers = 100;

/** The users that the smaller of two variants has, and needs before anything is said of them; undefined once it has
 * them. A median is not compared: it needs no planned users. */
export function missingUsers(
  { variants, comparisons }: Metric,
  variant: string,
  planned: number,
): { has: number; needs: number } | undefined {
  const has = Math.min(variants[0]!.people, variants.find((one) => one.variant === variant)?.people ?? 0);
  const needs = comparisons.length > 0 ? Math.max(planned, leastUsers) : leastUsers;
  return has < needs ? { has, needs } : undefined;
}

/** Whether a difference is for the better, for the worse, or could be either. */
export function sideOf({ verdict }: Metric['comparisons'][number]): 'better' | 'worse' | 'either' {
  return verdict === 'WINNING' ? 'better' : verdict === 'LOSING' ? 'worse' : 'either';
}

/** A difference with its sign: that of shares in points. */
export function formatDifference(value: number, unit: ExperimentUnit): string {
  if (unit !== 'SHARE') return `${signOf(value)}${formatShort(Math.abs(value), kinds[unit])}`;
  const points = Number((value * 100).toFixed(1));
  return `${signOf(points)}${Math.abs(points).toFixed(1)} pts`;
}

/** The same of an axis, whose zero is the control. */
export const formatTickOf = (tick: number, unit: ExperimentUnit): string =>
  tick === 0 ? 'Control' : formatDifference(tick, unit).replace(/\.0+(?=\D|$)/, '');

const signOf = (value: number) => (value > 0 ? '+' : value < 0 ? '−' : '');

/** The difference to the control at the end of a day, and its sequential interval once there is one. */
export type Day = { day: string; users: number; difference: number; low: number; high: number };

/** The days on which the difference of a variant has an interval. */
export function daysOf({ series }: Metric, variant: string): Day[] {
  return series.flatMap(({ day, variants }) => {
    const [control, treatment] = [variants[0], variants.find((one) => one.variant === variant)];
    if (control?.value == null || treatment?.value == null || !treatment.interval) return [];
    const { low, high } = treatment.interval;
    const users = Math.min(control.people, treatment.people);
    return [{ day, users, difference: treatment.value - control.value, low, high }];
  });
}

/** How far from zero a chart of the days reaches: the differences and the latest interval are in sight. The first
 * intervals are so wide that they would press all others flat. */
export function reachOf(days: readonly Day[]): number {
  const last = days.at(-1);
  if (!last) return 1;
  const wide = Math.max(Math.abs(last.low), Math.abs(last.high));
  return Math.max(1e-12, 1.15 * wide, ...days.map(({ difference }) => 1.05 * Math.abs(difference)));
}

/** Ticks around zero that reach as far below it as above. */
export function ticksAround(reach: number): number[] {
  const above = ticksTo(reach, 2);
  return [
    ...above
      .slice(1)
      .map((tick) => -tick)
      .reverse(),
    ...above,
  ];
}
