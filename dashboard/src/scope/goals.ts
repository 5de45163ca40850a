import type { GoalConditionInput, SegmentCondition, SegmentRulesInput } from '../graphql/schema.gen';

export type Goal = { id: string; name: string; condition: unknown };

/** A goal that filters name by its id. */
export const goalName = (goals: readonly Pick<Goal, 'id' | 'name'>[], id: string): string =>
  goals.find((goal) => goal.id === id)?.name ?? 'a goal';

/** Rules of a segment, in which the goals of a filter are their conditions: those who met one, or met none. */
export function withGoals(rules: SegmentRulesInput, goals: readonly Goal[]): SegmentRulesInput {
  const { goal, ...cross } = rules.cross ?? {};
  if (!goal) return rules;
  const met = goal.values.flatMap((id): SegmentCondition[] => {
    const found = goals.find((one) => one.id === id);
    return found ? [{ goal: { condition: found.condition as GoalConditionInput } }] : [];
  });
  const { cross: _, ...rest } = rules;
  const left = Object.keys(cross).length > 0 ? { ...rest, cross } : rest;
  if (met.length === 0) return left;
  const none = goal.op === 'IS_NOT';
  const parts = none ? met.map((not): SegmentCondition => ({ not })) : met;
  return { ...left, where: parts.length === 1 ? parts[0]! : { [none ? 'all' : 'any']: parts } };
}
