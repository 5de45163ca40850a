import { describe } from '../conditions/conditions';
import type {
  ConversionCondition,
  EventCondition,
  FlowCondition,
  FunnelCondition,
  FunnelOutcome,
  GoalConditionInput,
  MoneyCondition,
  PathCondition,
  SeenCondition,
  SegmentRulesInput,
  ValueCondition,
} from '../graphql/schema.gen';
import { filterFacts } from '../scope/filterFacts';
import { countryName } from '../ui/format';
import { type Clause, type Conditions, subjectOf, toConditions } from './condition';

/** The names of what rules keep by id. */
export type Names = ReadonlyMap<string, string>;

const days = (count: number) => (count === 1 ? 'today' : `in the last ${count} days`);

type Period = Pick<EventCondition, 'withinDays' | 'from' | 'to'>;

/** When something happened; nothing for the default. */
export function periodWords({ withinDays, from, to }: Period): string {
  if (from && to) return `from ${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  return withinDays ? days(withinDays) : '';
}

const or = (values: readonly string[]) => values.map((value) => value || '(none)').join(' or ');

/** How a value is compared, without its name. */
function comparedWords(
  { op, texts, number, flag }: Omit<ValueCondition, 'key'>,
  name = (text: string) => text,
): string {
  const value = texts ? or(texts.map(name)) || '…' : flag != null ? (flag ? 'yes' : 'no') : String(number ?? '…');
  switch (op) {
    case 'EXISTS':
      return 'is known';
    case 'ABSENT':
      return 'is not known';
    case 'IS':
      return `is ${value}`;
    case 'IS_NOT':
      return `is not ${value}`;
    case 'CONTAINS':
      return `contains ${value}`;
    case 'DOES_NOT_CONTAIN':
      return `does not contain ${value}`;
    case 'MORE':
      return `is more than ${value}`;
    case 'AT_LEAST':
      return `is at least ${value}`;
    case 'LESS':
      return `is less than ${value}`;
    case 'AT_MOST':
      return `is at most ${value}`;
  }
}

const spaced = (...parts: string[]) => parts.filter(Boolean).join(' ');

function eventWords({ name, atLeast = 1, properties, ...period }: EventCondition, not: boolean): string {
  const times = atLeast > 1 ? `at least ${atLeast} times` : '';
  const where = (properties ?? []).map(({ key, ...rest }) => `${key || '…'} ${comparedWords(rest)}`).join(' and ');
  return spaced(
    `${not ? 'who did not do' : 'who did'} “${name || '…'}”`,
    where && `where ${where}`,
    times,
    periodWords(period),
  );
}

/** What a condition on a flow asks besides the outcome. */
export function flowDetails({ versionId, variantId, lastStep, answers }: FlowCondition, names: Names): string {
  return [
    variantId && `as variant ${names.get(variantId) ?? '(deleted)'}`,
    versionId && (names.get(versionId) ?? 'a version'),
    lastStep && `with the last step ${names.get(lastStep) ?? lastStep}`,
    ...(answers ?? []).map(({ field, options }) => `with ${field} answered ${or(options)}`),
  ]
    .filter(Boolean)
    .join(', ');
}

const outcomes = { STARTED: 'started', COMPLETED: 'completed', ABANDONED: 'abandoned' };
const outcome = { STARTED: 'start', COMPLETED: 'complete', ABANDONED: 'abandon' };

function flowWords(of: FlowCondition, not: boolean, names: Names): string {
  const flow = of.flowId ? (names.get(of.flowId) ?? 'a deleted flow') : 'any flow';
  const verb = not ? `did not ${outcome[of.outcome]}` : outcomes[of.outcome];
  return spaced(`who ${verb} ${flow}`, flowDetails(of, names), periodWords(of));
}

function moneyWords({ kind, usd, products, ...period }: MoneyCondition, not: boolean): string {
  const of = products?.length ? `of ${or(products)}` : '';
  const verb = {
    REVENUE: `${not ? 'did not pay' : 'paid'} at least $${usd ?? '…'}`,
    PURCHASED: not ? 'did not purchase' : 'purchased',
    REFUNDED: not ? 'got no refund' : 'got a refund',
    SUBSCRIBED: not ? 'have no paid subscription' : 'have a paid subscription',
    TRIALING: not ? 'have no trial' : 'have a trial',
  }[kind];
  return spaced(`who ${verb}`, of, periodWords(period));
}

const funnelOutcomes: Record<FunnelOutcome, string> = {
  ENTERED: 'who entered',
  CONTINUED: 'who continued after',
  DROPPED: 'who dropped off after',
  OPEN: 'who still have time to convert after',
};

function funnelWords({ funnel, step, outcome = 'DROPPED' }: FunnelCondition, names: Names): string {
  const called = funnel.steps.map(
    ({ name, condition }, i) => name || (condition ? goalWords(condition, names) : `step ${i + 1}`),
  );
  const by = funnel.by === 'SESSION' ? ' in one session' : '';
  return `${funnelOutcomes[outcome]} “${called[step - 1] ?? `step ${step}`}” of the funnel ${called.join(' → ')}${by}`;
}

/** A goal by the name of the stored one with this condition, else by the condition. */
export const goalWords = (condition: GoalConditionInput, names: Names): string =>
  names.get(JSON.stringify(condition)) ??
  describe(
    condition,
    [...names].map(([id, name]) => ({ id, name })),
  );

function conversionWords({ condition, ...period }: ConversionCondition, not: boolean, names: Names): string {
  const goal = Object.keys(condition).length > 0 ? goalWords(condition, names) : '…';
  return spaced(`who ${not ? 'did not meet' : 'met'} the goal “${goal}”`, periodWords(period));
}

function pathWords({ path: { anchor, direction }, nodes }: PathCondition): string {
  const before = direction === 'BEFORE';
  const others = nodes
    .filter(({ step }) => step > 1)
    .sort((a, b) => (before ? b.step - a.step : a.step - b.step))
    .map(({ step, name }) => `${name || '(none)'} (step ${step})`);
  const way = before ? [...others, anchor.name] : [anchor.name, ...others];
  return `with a session on the path ${way.join(' → ')}`;
}

/** What a row that a report made asks, without its period. */
export const journeyWords = (clause: Extract<Clause, { kind: 'funnel' | 'path' }>, names: Names): string =>
  clause.kind === 'funnel' ? funnelWords(clause.of, names) : pathWords(clause.of);

function seenWords({ which, withinDays, beforeDays }: SeenCondition): string {
  const when = withinDays ? days(withinDays) : `more than ${beforeDays ?? '…'} days ago`;
  return `who were ${which === 'FIRST' ? 'first' : 'last'} seen ${when}`;
}

/** A field's value in words: countries have names. */
export const fieldValue = (field: string, text: string): string =>
  field.endsWith('COUNTRY') && text !== '' ? countryName(text.toUpperCase()) : text;

/** A row in words, behind "users". */
export function clauseWords(clause: Clause, names: Names): string {
  switch (clause.kind) {
    case 'person': {
      const { field, ...compared } = clause.of;
      const name = subjectOf(clause).name.toLowerCase().replace(/\bid$/, 'ID');
      return `whose ${name} ${comparedWords(compared, (text) => fieldValue(field, text))}`;
    }
    case 'attribute':
      return `whose ${clause.of.key || '…'} ${comparedWords(clause.of)}`;
    case 'seen':
      return seenWords(clause.of);
    case 'event':
      return eventWords(clause.of, clause.not);
    case 'flow':
      return flowWords(clause.of, clause.not, names);
    case 'money':
      return moneyWords(clause.of, clause.not);
    case 'goal':
      return conversionWords(clause.of, clause.not, names);
    case 'funnel':
    case 'path':
      return spaced(clause.not ? 'but not those' : '', journeyWords(clause, names), periodWords(clause.of));
  }
}

/** Conditions in words, behind "users". */
export function conditionWords(tree: Conditions, names: Names): string {
  switch (tree.is) {
    case 'never':
      return '';
    case 'group':
      return tree.parts
        .map((part) => {
          const inner = conditionWords(part, names);
          return part.is === 'group' && part.parts.length > 1 ? `(${inner})` : inner;
        })
        .join(tree.match === 'all' ? ' and ' : ' or ');
    case 'clause':
      return clauseWords(tree, names);
    case 'expression': {
      const { not } = tree.expression;
      return not ? `but not those ${conditionWords(toConditions(not), names)}` : 'with a condition of another kind';
    }
  }
}

/** The filters of sessions that rules have, in words: those of links, and how many others. */
export function filterWords(rules: SegmentRulesInput): string[] {
  const others = Object.keys(rules.columns ?? {}).length;
  return [
    ...filterFacts(rules).map((fact) => fact.join(' ')),
    ...(others > 0 ? [`${others} column ${others === 1 ? 'filter' : 'filters'}`] : []),
  ];
}

/** What a segment means, in one sentence. */
export function segmentWords(
  {
    rules,
    windowDays,
    importedCount = 0,
  }: { rules: SegmentRulesInput | null; windowDays: number; importedCount?: number },
  names: Names,
): string {
  const imported = importedCount > 0 ? `${importedCount} imported ${importedCount === 1 ? 'user' : 'users'}` : '';
  const filters = rules ? filterWords(rules) : [];
  const where = conditionWords(toConditions(rules?.where), names);
  if (!rules) return imported || 'Nobody yet: no users were imported';
  const visit = filters.length > 0 ? `with a visit ${days(windowDays)} where ${filters.join(' and ')}` : '';
  const chosen =
    visit || where
      ? spaced('Users', visit, visit && where ? `and ${where}` : where)
      : `Users with a visit ${days(windowDays)}`;
  return imported ? `${chosen}, and ${imported}` : chosen;
}
