import {
  type Draft as Condition,
  conditionOf,
  describe,
  draftOf,
  emptyDraft,
  type Happened,
  type Named,
  nameOf,
} from '../../conditions/conditions';
import type { FunnelInput, GoalConditionInput } from '../../graphql/schema.gen';

/** A funnel as it is stored: with all that an input may leave out. */
export type Definition = FunnelInput & Required<Pick<FunnelInput, 'by' | 'order' | 'windowMinutes'>>;

/** A step of a form, or an exclusion. */
export type Step = {
  /** Of its fields, while steps move around them. */
  key: number;
  /** Of the step; empty, that of its goal or none. */
  name: string;
  /** The goal that it asks for, empty while none is chosen; undefined where it has a condition. */
  goal: string | undefined;
  condition: Condition;
  /** What the condition was, for what the form does not show. */
  before?: GoalConditionInput;
};

export const units = { minutes: 1, hours: 60, days: 1440 } as const;

export type Unit = keyof typeof units;

/** What the form holds of a funnel. */
export type Draft = {
  steps: readonly Step[];
  exclusions: readonly Step[];
  by: 'VISITOR' | 'SESSION';
  strict: boolean;
  window: string;
  unit: Unit;
};

export const limits = { leastSteps: 2, steps: 10, exclusions: 5, windowMinutes: 90 * units.days } as const;

let keys = 0;

export const stepOf = (condition: Condition = emptyDraft, name = ''): Step => ({
  key: ++keys,
  name,
  goal: undefined,
  condition,
});

/** A form of two steps that ask for nothing yet. */
export const newDraft = (): Draft => ({
  steps: [stepOf(), stepOf()],
  exclusions: [],
  by: 'VISITOR',
  strict: false,
  window: '7',
  unit: 'days',
});

/** The form of a funnel. */
export function draftOfFunnel({ steps, exclusions, by, order, windowMinutes }: Definition): Draft {
  const unit = windowMinutes % units.days === 0 ? 'days' : windowMinutes % units.hours === 0 ? 'hours' : 'minutes';
  const withCondition = (condition: GoalConditionInput, name = '') => ({
    ...stepOf(draftOf(condition), name),
    before: condition,
  });
  return {
    steps: steps.map(({ name, goalId, condition }) =>
      condition ? withCondition(condition, name ?? '') : { ...stepOf(emptyDraft, name ?? ''), goal: goalId ?? '' },
    ),
    exclusions: (exclusions ?? []).map((condition) => withCondition(condition)),
    by,
    strict: order === 'STRICT',
    window: String(windowMinutes / units[unit]),
    unit,
  };
}

/** The minutes of a window; undefined for one that no funnel has. */
export function minutesOf(window: string, unit: Unit): number | undefined {
  const minutes = Math.round(Number(window) * units[unit]);
  return window.trim() && minutes >= 1 && minutes <= limits.windowMinutes ? minutes : undefined;
}

/** The funnel that a form asks for; undefined while it lacks something. */
export function funnelOf(draft: Draft): Definition | undefined {
  const windowMinutes = draft.by === 'SESSION' ? units.days : minutesOf(draft.window, draft.unit);
  const steps = draft.steps.flatMap((step) => {
    const { goal } = step;
    const name = step.name.trim();
    const condition = goal === undefined ? conditionOf(step.condition, step.before) : undefined;
    if (!condition && !goal) return [];
    return { ...(name && { name }), ...(condition ? { condition } : { goalId: goal }) };
  });
  const exclusions = draft.exclusions.flatMap(({ condition, before }) => conditionOf(condition, before) ?? []);
  const whole = steps.length === draft.steps.length && exclusions.length === draft.exclusions.length;
  if (windowMinutes === undefined || !whole) return undefined;
  return { steps, exclusions, by: draft.by, order: draft.strict ? 'STRICT' : 'LOOSE', windowMinutes };
}

/** A step with another condition. A name that nobody typed follows it; `steps` are of the flows of both. */
export function withCondition(
  step: Step,
  part: Partial<Condition>,
  flows: readonly Named[],
  steps: readonly Named[],
): Step {
  const condition = { ...step.condition, ...part };
  const follows = step.name === '' || step.name === nameOf(step.condition, flows, steps);
  return {
    ...step,
    goal: undefined,
    condition,
    name: follows ? nameOf(condition, flows, steps).slice(0, 100) : step.name,
  };
}

/** What a funnel is called when nobody names it: by where it begins and ends. */
export function nameOfFunnel({ steps }: Pick<Draft, 'steps'>, goals: readonly Named[]): string {
  const called = (step: Step) => step.name || goals.find(({ id }) => id === step.goal)?.name || '';
  const ends = [steps[0]!, steps.at(-1)!].map(called);
  return ends.every(Boolean) ? ends.join(' → ').slice(0, 100) : '';
}

/** Funnels that what happened suggests: from what most visitors view to the events that most of them trigger, and from a
 * flow to a purchase. */
export function suggestedSteps(happened: Happened | null | undefined, flows: readonly Named[]): Condition[][] {
  const view = happened?.screens?.nodes.find(({ value }) => value !== '');
  const events = (happened?.events?.nodes ?? []).filter(({ builtIn }) => !builtIn).slice(0, 2);
  const seen: Condition[] = view
    ? [{ ...emptyDraft, kind: view.kind === 'PAGE' ? 'page' : 'screen', text: view.value }]
    : [];
  const flow = flows[0] && { ...emptyDraft, kind: 'flow' as const, flow: flows[0].id };
  return [
    ...(view ? events.map(({ name }) => [...seen, { ...emptyDraft, text: name }]) : []),
    ...(flow ? [[{ ...flow, outcome: 'STARTED' as const }, flow, { ...emptyDraft, kind: 'purchase' as const }]] : []),
  ];
}

const count = (value: number, one: string) => `${value} ${one}${value === 1 ? '' : 's'}`;

/** How long after step 1 the last step may be, in words. */
export function windowWords(minutes: number): string {
  if (minutes % units.days === 0) return count(minutes / units.days, 'day');
  return minutes % units.hours === 0 ? count(minutes / units.hours, 'hour') : count(minutes, 'minute');
}

/** What counts, in words. */
export function rulesOf({ by, order, windowMinutes, exclusions }: Definition, flows: readonly Named[]): string {
  const within =
    by === 'SESSION' ? 'Sessions, each by itself' : `Visitors, within ${windowWords(windowMinutes)} of the first step`;
  const strict = order === 'STRICT' ? ', in strict order' : '';
  const ended = exclusions?.length
    ? `, without ${exclusions.map((condition) => `“${describe(condition, flows)}”`).join(' or ')} between two steps`
    : '';
  return `${within}${strict}${ended}`;
}
