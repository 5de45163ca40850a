import * as v from 'valibot';
import type { CrossFilters } from '../graphql/schema.gen';

/** Dimensions that filters know, by their name in the address. `text` ones can be searched in. */
export const dimensions = {
  channel: { field: 'acquisitionChannel', name: 'Channel', text: false },
  referrer: { field: 'referrer', name: 'Referrer', text: false },
  source: { field: 'source', name: 'Source', text: false },
  medium: { field: 'medium', name: 'Medium', text: false },
  campaign: { field: 'campaign', name: 'Campaign', text: true },
  country: { field: 'country', name: 'Country', text: false },
  region: { field: 'region', name: 'Region', text: false },
  page: { field: 'page', name: 'Page', text: true },
  entry: { field: 'entry', name: 'Entry page', text: true },
  exit: { field: 'exit', name: 'Exit page', text: true },
  event: { field: 'event', name: 'Event', text: true },
  goal: { field: 'goal', name: 'Goal', text: false },
  browser: { field: 'browser', name: 'Browser', text: false },
  os: { field: 'os', name: 'Operating system', text: false },
  device: { field: 'device', name: 'Device', text: false },
} as const satisfies Record<string, { field: keyof CrossFilters; name: string; text: boolean }>;

export type Dimension = keyof typeof dimensions;

/** Operators as addresses write them, with the words of a chip. */
export const operators = {
  is: { input: 'IS', words: 'is' },
  is_not: { input: 'IS_NOT', words: 'is not' },
  contains: { input: 'CONTAINS', words: 'contains' },
  contains_not: { input: 'DOES_NOT_CONTAIN', words: 'does not contain' },
} as const;

export type Operator = keyof typeof operators;

/** One filter: its values are alternatives. The empty value is "(none)". */
export type Filter = { operator: Operator; dimension: Dimension; values: string[] };

/** What has filters: the page by its address, unless something on it has its own. */
export type Filtered = { filters: readonly Filter[]; setFilters: (filters: readonly Filter[]) => void };

/** The operators that a dimension takes. */
export const operatorsOf = (dimension: Dimension): Operator[] =>
  dimensions[dimension].text ? ['is', 'is_not', 'contains', 'contains_not'] : ['is', 'is_not'];

/** Reads `is,country,DE,FR`; undefined for what is no filter. */
export function parseFilter(text: string): Filter | undefined {
  const [operator = '', dimension = '', ...values] = text.split(',').map(unescaped);
  if (!Object.hasOwn(dimensions, dimension) || values.length === 0) return undefined;
  const known = dimension as Dimension;
  if (!operatorsOf(known).includes(operator as Operator)) return undefined;
  return { operator: operator as Operator, dimension: known, values };
}

export const writeFilter = ({ operator, dimension, values }: Filter): string =>
  [operator, dimension, ...values].map(escaped).join(',');

const escaped = (text: string) => text.replace(/[\\,]/g, (c) => (c === ',' ? '\\c' : '\\b'));
const unescaped = (text: string) => text.replace(/\\[cb]/g, (c) => (c === '\\c' ? ',' : '\\'));

/** The input of the server; a dimension has at most one filter, the last. */
export function toCross(filters: readonly Filter[]): CrossFilters | undefined {
  if (filters.length === 0) return undefined;
  return Object.fromEntries(
    filters.map(({ dimension, operator, values }) => [
      dimensions[dimension].field,
      { op: operators[operator].input, values },
    ]),
  );
}

const crossSchema = v.record(v.string(), v.object({ op: v.string(), values: v.array(v.string()) }));

/** The filters of an input that the server has stored; what no filter can say is left out. */
export function filtersOfCross(cross: unknown): Filter[] {
  const stored = v.safeParse(crossSchema, cross ?? {});
  if (!stored.success) return [];
  return Object.entries(stored.output).flatMap(([field, { op, values }]): Filter[] => {
    const dimension = (Object.keys(dimensions) as Dimension[]).find((name) => dimensions[name].field === field);
    const operator = (Object.keys(operators) as Operator[]).find((name) => operators[name].input === op);
    return dimension && operator ? [{ operator, dimension, values }] : [];
  });
}

/** The filters with one of a dimension put in place, or taken out when it has no values. */
export function withFilter(filters: readonly Filter[], filter: Filter): Filter[] {
  const others = filters.filter(({ dimension }) => dimension !== filter.dimension);
  return filter.values.length > 0 ? [...others, filter] : others;
}

/** The filters after a row was clicked: exactly it, or everything but it. A second exclusion joins the first. */
export function withRow(filters: readonly Filter[], dimension: Dimension, value: string, exclude: boolean): Filter[] {
  const before = filters.find((filter) => filter.dimension === dimension);
  const values =
    exclude && before?.operator === 'is_not' ? [...before.values.filter((other) => other !== value), value] : [value];
  return withFilter(filters, { operator: exclude ? 'is_not' : 'is', dimension, values });
}
