import type {
  ConversionCondition,
  FunnelCondition,
  FunnelInput,
  FunnelOutcome,
  GoalConditionInput,
  PathCondition,
  PathPointInput,
  SegmentRulesInput,
} from '../graphql/schema.gen';
import { filtersOf, type Place, periodOf, rangeOf, type ScopeSearch, zoneOf } from '../scope/scope';
import { rulesOf } from '../scope/segments';

/** What a new segment begins with. */
export type Beginning = {
  name?: string;
  rules: SegmentRulesInput;
  windowDays?: number;
  /** Why its count can differ from the number that it was made of. */
  note?: string | undefined;
};

const day = 86_400_000;

/** How many days the period in force goes back from today; undefined for one that does not end today in whole days. */
function daysOf(search: ScopeSearch, now: Date): number | undefined {
  const period = periodOf(search);
  if (period === 'yesterday' || period === 'last-month' || period === '24h' || period === 'realtime') return undefined;
  const { start, end } = rangeOf(search, now);
  return end >= now && period !== 'custom' ? Math.ceil((end.getTime() - start.getTime()) / day) : undefined;
}

/** The condition and the filters in force as a segment. Periods until today go on with the days, others stay. */
function beginning(
  place: Place,
  search: ScopeSearch,
  name: string,
  of: { funnel: FunnelCondition } | { path: PathCondition } | { goal: ConversionCondition },
  bySession: boolean,
): Beginning {
  const now = new Date();
  const days = daysOf(search, now);
  const { start, end } = rangeOf(search, now);
  const span = days ? { withinDays: days } : { from: start.toISOString(), to: end.toISOString() };
  const where = Object.fromEntries(Object.entries(of).map(([kind, condition]) => [kind, { ...condition, ...span }]));
  const filtered = filtersOf(search).length > 0 || search.platform !== undefined;
  const reasons = [
    bySession && 'the report counts sessions and the segment their users',
    filtered && 'the filters are met by any visit of the segment’s days',
    search.segment && 'the segment in the scope is not part of it',
    days && zoneOf(search) !== 'UTC' && `its days are those of UTC and not of ${zoneOf(search)}`,
  ].filter(Boolean);
  return {
    name: name.slice(0, 100),
    rules: { ...rulesOf(place, search), where },
    windowDays: Math.min(1827, days ?? Math.ceil((now.getTime() - start.getTime()) / day)),
    note: reasons.length > 0 ? `The count can differ from the report: ${reasons.join('; ')}.` : undefined,
  };
}

/** A stored goal: its condition is in the shape of the input. */
export type Goal = { id: string; name: string; condition: unknown };

/** Those who have an outcome at a step of a funnel. Goals become their conditions, which the segment keeps. */
export function funnelSegment(
  place: Place,
  search: ScopeSearch,
  of: { funnel: FunnelInput; goals: readonly Goal[] },
  step: { number: number; name: string },
  outcome: FunnelOutcome = 'DROPPED',
): Beginning | undefined {
  const { funnel, goals } = of;
  const steps = funnel.steps.flatMap(({ goalId, condition, ...step }) => {
    if (!goalId) return { ...step, condition };
    const goal = goals.find(({ id }) => id === goalId);
    return goal ? { name: goal.name, ...step, condition: goal.condition as GoalConditionInput } : [];
  });
  if (steps.length < funnel.steps.length) return undefined;
  const condition: FunnelCondition = { funnel: { ...funnel, steps }, step: step.number, outcome };
  return beginning(place, search, `Dropped off after ${step.name}`, { funnel: condition }, funnel.by === 'SESSION');
}

/** The converters of a goal. */
export const goalSegment = (place: Place, search: ScopeSearch, { name, condition }: Goal): Beginning =>
  beginning(place, search, `Met ${name}`, { goal: { condition: condition as GoalConditionInput } }, false);

/** Those with a session that took a path through all of the nodes. */
export const pathSegment = (
  place: Place,
  search: ScopeSearch,
  path: PathCondition['path'],
  nodes: PathPointInput[],
): Beginning =>
  beginning(place, search, nodes.map(({ name }) => name || '(none)').join(' → '), { path: { path, nodes } }, true);
