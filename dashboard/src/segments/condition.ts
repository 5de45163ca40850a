import type {
  ConditionOperator,
  ConversionCondition,
  EventCondition,
  FlowCondition,
  FunnelCondition,
  MoneyCondition,
  PathCondition,
  PersonCondition,
  PersonField,
  SeenCondition,
  SegmentCondition,
  ValueCondition,
} from '../graphql/schema.gen';
import type { Tree } from '../sentences/tree';

/** One question about a user: exactly one member of a condition. */
export type Asked =
  | { kind: 'person'; of: PersonCondition }
  | { kind: 'attribute'; of: ValueCondition }
  | { kind: 'seen'; of: SeenCondition }
  | { kind: 'event'; of: EventCondition; not: boolean }
  | { kind: 'flow'; of: FlowCondition; not: boolean }
  | { kind: 'money'; of: MoneyCondition; not: boolean }
  | { kind: 'funnel'; of: FunnelCondition; not: boolean }
  | { kind: 'path'; of: PathCondition; not: boolean }
  | { kind: 'goal'; of: ConversionCondition; not: boolean };

/** A row of a segment's conditions. */
export type Clause = { is: 'clause' } & Asked;

/** The conditions of a segment as people read and write them. */
export type Conditions = Tree<Clause, SegmentCondition>;

/** Reads a condition as the server stores it; toCondition gives it back. */
export function toConditions(condition: SegmentCondition | null | undefined): Conditions {
  if (!condition) return { is: 'never' };
  const { all, any, not } = condition;
  if (all) return { is: 'group', match: 'all', parts: all.map(toConditions) };
  if (any) return { is: 'group', match: 'any', parts: any.map(toConditions) };
  const asked = not ? askedOf(not, true) : askedOf(condition, false);
  return asked ? { is: 'clause', ...asked } : { is: 'expression', expression: condition };
}

/** The question of a condition without parts. Values have their own negative operators. */
function askedOf(condition: SegmentCondition, not: boolean): Asked | undefined {
  const { person, attribute, seen, event, flow, money, funnel, path, goal } = condition;
  if (event) return { kind: 'event', of: event, not };
  if (flow) return { kind: 'flow', of: flow, not };
  if (money) return { kind: 'money', of: money, not };
  if (funnel) return { kind: 'funnel', of: funnel, not };
  if (path) return { kind: 'path', of: path, not };
  if (goal) return { kind: 'goal', of: goal, not };
  if (not) return undefined;
  if (person) return { kind: 'person', of: person };
  if (attribute) return { kind: 'attribute', of: attribute };
  return seen ? { kind: 'seen', of: seen } : undefined;
}

/** Writes conditions as the server takes them; undefined for none. */
export function toCondition(tree: Conditions): SegmentCondition | undefined {
  switch (tree.is) {
    case 'never':
      return undefined;
    case 'group':
      return { [tree.match]: tree.parts.flatMap((part) => toCondition(part) ?? []) };
    case 'clause': {
      const condition = { [tree.kind]: tree.of };
      return 'not' in tree && tree.not ? { not: condition } : condition;
    }
    case 'expression':
      return tree.expression;
  }
}

/** The first row that lacks a value, or undefined: a segment with one cannot be counted. */
export function incomplete(tree: Conditions): Clause | undefined {
  if (tree.is === 'group')
    return tree.parts.reduce<Clause | undefined>((found, part) => found ?? incomplete(part), undefined);
  return tree.is === 'clause' && !isComplete(tree) ? tree : undefined;
}

function isComplete(clause: Clause): boolean {
  switch (clause.kind) {
    case 'person':
      return withoutValue.has(clause.of.op) || (clause.of.texts ?? []).length > 0;
    case 'attribute':
      return isCompared(clause.of);
    case 'goal':
      return Object.keys(clause.of.condition).length > 0;
    case 'event':
      return clause.of.name !== '' && (clause.of.properties ?? []).every(isCompared);
    default:
      return true;
  }
}

const isCompared = ({ key, op, texts, number, flag }: ValueCondition): boolean =>
  key !== '' && (withoutValue.has(op) || (texts ?? []).length > 0 || number != null || flag != null);

/** Operators that compare with nothing. */
export const withoutValue: ReadonlySet<ConditionOperator> = new Set(['EXISTS', 'ABSENT']);

/** What a row can ask about, under the headings of its list, with the row that asks it first. */
export type Subject = { id: string; group: string; name: string; begin: Asked };

const person = (field: PersonField, group: string, name: string): Subject => ({
  id: `person ${field}`,
  group,
  name,
  begin: { kind: 'person', of: { field, op: 'IS', texts: [] } },
});

export const subjects: readonly Subject[] = [
  {
    id: 'event PRODUCT',
    group: 'Activity',
    name: 'Event',
    begin: { kind: 'event', of: { name: '', source: 'PRODUCT', atLeast: 1 }, not: false },
  },
  {
    id: 'event TRACK',
    group: 'Activity',
    name: 'Tracked event',
    begin: { kind: 'event', of: { name: '', source: 'TRACK', atLeast: 1 }, not: false },
  },
  { id: 'goal', group: 'Activity', name: 'Goal', begin: { kind: 'goal', of: { condition: {} }, not: false } },
  { id: 'flow', group: 'Activity', name: 'Flow', begin: { kind: 'flow', of: { outcome: 'COMPLETED' }, not: false } },
  {
    id: 'seen FIRST',
    group: 'Activity',
    name: 'First seen',
    begin: { kind: 'seen', of: { which: 'FIRST', withinDays: 7 } },
  },
  {
    id: 'seen LAST',
    group: 'Activity',
    name: 'Last seen',
    begin: { kind: 'seen', of: { which: 'LAST', withinDays: 7 } },
  },
  { id: 'attribute', group: 'Profile', name: 'Attribute', begin: { kind: 'attribute', of: { key: '', op: 'EXISTS' } } },
  person('COUNTRY', 'Profile', 'Country'),
  person('LANGUAGE', 'Profile', 'Language'),
  person('LOCALE', 'Profile', 'Locale'),
  person('TIMEZONE', 'Profile', 'Time zone'),
  person('EMAIL', 'Profile', 'Email'),
  person('CUSTOM_USER_ID', 'Profile', 'User ID'),
  person('MARKETING_CONSENT', 'Profile', 'Marketing consent'),
  person('FIRST_SOURCE', 'First visit', 'First source'),
  person('FIRST_MEDIUM', 'First visit', 'First medium'),
  person('FIRST_CAMPAIGN', 'First visit', 'First campaign'),
  person('FIRST_COUNTRY', 'First visit', 'First country'),
  person('FIRST_PLATFORM', 'First visit', 'First platform'),
  person('FIRST_DEVICE', 'First visit', 'First device'),
  { id: 'money PURCHASED', group: 'Revenue', name: 'Purchase', begin: money('PURCHASED') },
  { id: 'money REFUNDED', group: 'Revenue', name: 'Refund', begin: money('REFUNDED') },
  { id: 'money SUBSCRIBED', group: 'Revenue', name: 'Subscription', begin: money('SUBSCRIBED') },
  { id: 'money TRIALING', group: 'Revenue', name: 'Trial', begin: money('TRIALING') },
  {
    id: 'money REVENUE',
    group: 'Revenue',
    name: 'Revenue',
    begin: { kind: 'money', of: { kind: 'REVENUE', usd: 1 }, not: false },
  },
];

function money(kind: Exclude<MoneyCondition['kind'], 'REVENUE'>): Asked {
  return { kind: 'money', of: { kind }, not: false };
}

/** The subject of a row. What a report made has no place in the list: its row is all that can be said of it. */
export function subjectOf(clause: Asked): Subject {
  if (clause.kind === 'funnel' || clause.kind === 'path')
    return { id: clause.kind, group: 'Activity', name: clause.kind === 'funnel' ? 'Funnel' : 'Path', begin: clause };
  const id = idOf(clause);
  return subjects.find((one) => one.id === id) ?? subjects[0]!;
}

function idOf(clause: Asked): string {
  switch (clause.kind) {
    case 'person':
      return `person ${clause.of.field}`;
    case 'seen':
      return `seen ${clause.of.which}`;
    case 'event':
      return `event ${clause.of.source ?? 'PRODUCT'}`;
    case 'money':
      return `money ${clause.of.kind}`;
    default:
      return clause.kind;
  }
}

/** A row about another subject: a field of users keeps how it is compared, an event its name. */
export function about(subject: Subject, before: Asked): Clause {
  const { begin } = subject;
  if (begin.kind === 'person' && before.kind === 'person')
    return { is: 'clause', kind: 'person', of: { ...before.of, field: begin.of.field } };
  if (begin.kind === 'event' && before.kind === 'event')
    return { is: 'clause', kind: 'event', of: { ...before.of, source: begin.of.source }, not: before.not };
  return { is: 'clause', ...begin };
}
