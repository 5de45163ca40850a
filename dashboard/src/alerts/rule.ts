import type { AlertMetric, AlertRuleInput, AlertSensitivity } from '../graphql/schema.gen';
import { dimensions, type Filter, filtersOfCross, operators, toCross } from '../scope/filters';
import { goalName } from '../scope/goals';
import { valueName } from '../scope/valueName';
import type { FigureKind } from '../ui/format';
import type { Named } from './queries';

export const kinds = {
  unusual: 'is unusually',
  above: 'is above',
  below: 'is below',
  change: 'compared with last week',
  silent: 'no event arrives',
} as const;

export type Kind = keyof typeof kinds;
type Way = 'UP' | 'DOWN' | 'EITHER';

/** A rule while it is written: numbers are what stands in their fields. */
export type Draft = {
  kind: Kind;
  metric: AlertMetric;
  goal: string;
  platform: NonNullable<AlertRuleInput['platform']> | '';
  segment: string;
  filters: readonly Filter[];
  grain: 'HOUR' | 'DAY';
  number: string;
  direction: Way;
  sensitivity: AlertSensitivity;
  breaches: number;
  of: number;
  quietFrom: string;
  quietUntil: string;
};

export const metrics: Record<AlertMetric, { name: string; kind: FigureKind }> = {
  VISITORS: { name: 'Visitors', kind: 'count' },
  SESSIONS: { name: 'Sessions', kind: 'count' },
  VIEWS: { name: 'Views', kind: 'count' },
  EVENTS: { name: 'Events', kind: 'count' },
  NEW_VISITORS: { name: 'New visitors', kind: 'count' },
  BOUNCE_RATE: { name: 'Bounce rate', kind: 'share' },
  AVERAGE_SESSION_SECONDS: { name: 'Session length', kind: 'seconds' },
  VIEWS_PER_SESSION: { name: 'Views per session', kind: 'number' },
  REVENUE: { name: 'Revenue', kind: 'money' },
  CONVERSIONS: { name: 'Conversions', kind: 'count' },
  CONVERTERS: { name: 'Converters', kind: 'count' },
  CONVERSION_RATE: { name: 'Conversion rate', kind: 'share' },
};

export const isOfGoal = (metric: AlertMetric) =>
  metric === 'CONVERSIONS' || metric === 'CONVERTERS' || metric === 'CONVERSION_RATE';

export const emptyDraft: Draft = {
  kind: 'unusual',
  metric: 'VISITORS',
  goal: '',
  platform: '',
  segment: '',
  filters: [],
  grain: 'HOUR',
  number: '',
  direction: 'DOWN',
  sensitivity: 'MEDIUM',
  breaches: 2,
  of: 2,
  quietFrom: '',
  quietUntil: '',
};

/** Shares are typed as percent. */
const factorOf = (metric: AlertMetric) => (metrics[metric].kind === 'share' ? 100 : 1);

/** The number that stands in its field; undefined when it is none. */
export function numberOf({ kind, number, metric }: Draft): number | undefined {
  const value = number.trim() === '' ? Number.NaN : Number(number);
  if (!Number.isFinite(value)) return undefined;
  if (kind === 'silent') return Number.isInteger(value) && value >= 5 && value <= 1440 ? value : undefined;
  if (kind === 'change') return value > 0 && value <= 10_000 ? value : undefined;
  return value / factorOf(metric);
}

/** The rule that a draft describes; undefined when something is missing. */
export function ruleOf(draft: Draft, timeZone: string): AlertRuleInput | undefined {
  const number = numberOf(draft);
  const silent = draft.kind === 'silent';
  if (draft.kind !== 'unusual' && number === undefined) return undefined;
  const goal = !silent && isOfGoal(draft.metric);
  if (goal && draft.goal === '') return undefined;
  if ((draft.quietFrom === '') !== (draft.quietUntil === '')) return undefined;
  if (draft.quietFrom !== '' && draft.quietFrom === draft.quietUntil) return undefined;
  const { direction, sensitivity } = draft;
  const condition = {
    above: { above: number },
    below: { below: number },
    change: { change: { direction, percent: number! } },
    unusual: { unusual: { direction, sensitivity } },
    silent: { silent: { minutes: number! } },
  }[draft.kind];
  return {
    metric: silent ? 'VISITORS' : draft.metric,
    ...(goal && { goalId: draft.goal }),
    ...(draft.platform && { platform: draft.platform }),
    ...(draft.segment && { segmentId: draft.segment }),
    cross: toCross(draft.filters),
    timeZone,
    grain: silent ? 'HOUR' : draft.grain,
    condition,
    breaches: silent ? 1 : Math.min(draft.breaches, draft.of),
    of: silent ? 1 : draft.of,
    ...(draft.quietFrom && { quietFrom: draft.quietFrom, quietUntil: draft.quietUntil }),
  };
}

/** The draft of a stored rule. */
export function draftOf(rule: AlertRuleInput): Draft {
  const { condition, metric = 'VISITORS' } = rule;
  const kind = (Object.keys(kinds) as Kind[]).find((name) => condition[name] != null) ?? 'unusual';
  const bound = condition.above ?? condition.below;
  const number = condition.change?.percent ?? condition.silent?.minutes;
  return {
    kind,
    metric,
    goal: rule.goalId ?? '',
    platform: rule.platform ?? '',
    segment: rule.segmentId ?? '',
    filters: filtersOfCross(rule.cross),
    grain: rule.grain === 'DAY' ? 'DAY' : 'HOUR',
    number: String(number ?? (bound == null ? '' : Number((bound * factorOf(metric)).toFixed(6)))),
    direction: condition.change?.direction ?? condition.unusual?.direction ?? 'DOWN',
    sensitivity: condition.unusual?.sensitivity ?? 'MEDIUM',
    breaches: rule.breaches ?? 1,
    of: rule.of ?? 1,
    quietFrom: rule.quietFrom ?? '',
    quietUntil: rule.quietUntil ?? '',
  };
}

const unusualWords: Record<Way, string> = { UP: 'unusually high', DOWN: 'unusually low', EITHER: 'unusual' };
const changeWords: Record<Way, string> = { UP: 'rise', DOWN: 'fall', EITHER: 'change' };
const platformNames = { WEB: 'the web', IOS: 'iOS', ANDROID: 'Android', MOBILE: 'mobile' };

/** A rule as a sentence. */
export function describe(rule: AlertRuleInput, { goals, segments }: Named): string {
  const { kind, metric, goal, platform, segment, filters, grain, number, direction, breaches, of } = draftOf(rule);
  const ofGoal = isOfGoal(metric) ? ` of ${goals.find(({ id }) => id === goal)?.name ?? 'a goal'}` : '';
  const subject = `${metrics[metric].name}${ofGoal}`;
  const unit = metrics[metric].kind === 'share' ? ' %' : '';
  const per = grain === 'DAY' ? 'per day' : 'per hour';
  const bound = {
    above: `${subject} ${per} above ${number}${unit}`,
    below: `${subject} ${per} below ${number}${unit}`,
    change: `${subject} ${per} ${changeWords[direction]} by ${number} % against the week before`,
    unusual: `${subject} ${per} ${unusualWords[direction]} for the ${grain === 'DAY' ? 'weekday' : 'hour and weekday'}`,
    silent: `No event for ${number} minutes`,
  }[kind];
  const where = [
    ...(platform ? [`on ${platformNames[platform]}`] : []),
    ...(segment ? [`in ${segments.find(({ id }) => id === segment)?.name ?? 'a segment'}`] : []),
    ...filters.map(({ dimension, operator, values }) => {
      const names = values.map((value) =>
        dimension === 'goal' ? goalName(goals, value) : valueName(dimension, value),
      );
      return `${dimensions[dimension].name.toLowerCase()} ${operators[operator].words} ${names.join(' or ')}`;
    }),
  ];
  const times = kind === 'silent' || of === 1 ? '' : `, ${breaches} of ${of} times`;
  return `${bound}${where.length > 0 ? `, ${where.join(', ')}` : ''}${times}`;
}
