import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { PersonField, SegmentRulesInput } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { kindOf, type Place, toScope } from '../scope/scope';
import { countryName } from '../ui/format';
import type { Goal } from './journey';
import type { Names } from './words';

const estimateDocument = graphql<'SegmentEstimate'>(`
  query SegmentEstimate($app: ID!, $environment: EnvironmentKind!, $rules: SegmentRulesInput!, $days: Int!) {
    app(id: $app) { segmentEstimate(environment: $environment, rules: $rules, windowDays: $days) }
  }`);

/** How many users rules would choose now. What is out of date is not waited for. */
export const estimateQuery = ({ app, environment }: Place, rules: SegmentRulesInput, days: number) =>
  query(estimateDocument, [app, environment, rules, days], () => ({
    app,
    environment: kindOf(environment),
    rules,
    days,
  }));

const namesDocument = graphql<'SegmentNames'>(`
  query SegmentNames($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) {
      goals(first: 100) { nodes { id name condition } }
      flows(first: 200) { nodes { id name versions(first: 20) { nodes { id number } } } }
      experiments(environment: $environment, first: 100) { nodes { name variants { id key name } } }
    }
  }`);

/** The flows of an app, and the names of what segments keep by id. */
export const namesQuery = ({ app, environment }: Place) => ({
  ...query(namesDocument, [app, environment], () => ({ app, environment: kindOf(environment) })),
  select: ({
    data,
  }: {
    data: DataOf<'SegmentNames'>;
  }): { flows: { id: string; name: string }[]; goals: Goal[]; names: Names } => {
    const flows = data.app?.flows?.nodes ?? [];
    const names = new Map<string, string>();
    for (const { id, name, versions } of flows) {
      names.set(id, name);
      for (const version of versions.nodes) names.set(version.id, `version ${version.number}`);
    }
    for (const { name, variants } of data.app?.experiments?.nodes ?? [])
      for (const variant of variants) names.set(variant.id, `${variant.name || variant.key} of ${name}`);
    const goals = data.app?.goals?.nodes ?? [];
    for (const { name, condition } of goals) names.set(JSON.stringify(condition), name);
    return { goals, flows: flows.map(({ id, name }) => ({ id, name })), names };
  },
});

const suggestionsDocument = graphql<'SegmentSuggestions'>(`
  query SegmentSuggestions($app: ID!, $environment: EnvironmentKind!, $scope: ScopeInput!) {
    app(id: $app) {
      people(environment: $environment, first: 100) { nodes { attributes locale timezone country } }
      productAnalytics(scope: $scope) {
        events(orderBy: VISITORS, ascending: false, first: 100) { nodes { name } }
        sources: attribution(dimension: SOURCE, first: 50) { nodes { value } }
        mediums: attribution(dimension: MEDIUM, first: 50) { nodes { value } }
        campaigns: attribution(dimension: CAMPAIGN, first: 50) { nodes { value } }
        countries: demographic(dimension: COUNTRY, first: 200) { nodes { value } }
      }
    }
  }`);

/** What a value can be, with its words where they differ. */
export type Option = { value: string; label: string };

/** What exists, to be offered where conditions are typed: events and sources of the last 30 days, and what is known of
 * the newest users. */
export type Suggestions = {
  events: string[];
  attributes: Map<string, unknown[]>;
  fields: Partial<Record<PersonField, Option[]>>;
};

export const noSuggestions: Suggestions = { events: [], attributes: new Map(), fields: {} };

export const suggestionsQuery = (place: Place) => ({
  ...query(suggestionsDocument, [place], () => ({
    app: place.app,
    environment: kindOf(place.environment),
    scope: toScope(place, { range: '30d' }, new Date()),
  })),
  staleTime: 60_000,
  select: ({ data }: { data: DataOf<'SegmentSuggestions'> }) => suggestionsOf(data),
});

export function suggestionsOf(data: DataOf<'SegmentSuggestions'>): Suggestions {
  const people = data.app?.people?.nodes ?? [];
  const reports = data.app?.productAnalytics;
  const attributes = new Map<string, unknown[]>();
  for (const person of people)
    for (const [key, value] of Object.entries(Object(person.attributes)))
      attributes.set(key, distinct([...(attributes.get(key) ?? []), value]));
  const locales = people.map(({ locale }) => locale);
  return {
    events: (reports?.events?.nodes ?? []).map(({ name }) => name),
    attributes,
    fields: {
      LOCALE: options(locales),
      LANGUAGE: options(locales.map((locale) => locale.split(/[-_]/)[0]!.toLowerCase())),
      TIMEZONE: options(people.map(({ timezone }) => timezone)),
      COUNTRY: options([...people.map(({ country }) => country), ...valuesOf(reports?.countries)], countryName),
      FIRST_COUNTRY: options(valuesOf(reports?.countries), countryName),
      FIRST_SOURCE: options(valuesOf(reports?.sources)),
      FIRST_MEDIUM: options(valuesOf(reports?.mediums)),
      FIRST_CAMPAIGN: options(valuesOf(reports?.campaigns)),
      FIRST_PLATFORM: [
        { value: 'web', label: 'Web' },
        { value: 'ios', label: 'iOS' },
        { value: 'android', label: 'Android' },
      ],
      FIRST_DEVICE: [
        { value: 'mobile', label: 'Mobile' },
        { value: 'tablet', label: 'Tablet' },
        { value: 'desktop', label: 'Desktop' },
      ],
      MARKETING_CONSENT: [
        { value: 'granted', label: 'Granted' },
        { value: 'denied', label: 'Denied' },
        { value: 'unknown', label: 'Unknown' },
      ],
    },
  };
}

const valuesOf = (report: { nodes: { value: string }[] } | null | undefined) =>
  (report?.nodes ?? []).map(({ value }) => value);

const distinct = <T>(values: T[]): T[] => [...new Set(values)].slice(0, 100);

const options = (values: string[], label = (value: string) => value): Option[] =>
  distinct(values.filter(Boolean)).map((value) => ({ value, label: label(value) }));

const createDocument = graphql<'CreateSegment'>(`
  mutation CreateSegment($input: CreateSegmentInput!) { createSegment(input: $input) { id } }`);
const updateDocument = graphql<'UpdateSegment'>(`
  mutation UpdateSegment($input: UpdateSegmentInput!) { updateSegment(input: $input) { id } }`);
const deleteDocument = graphql<'DeleteSegment'>(`
  mutation DeleteSegment($input: DeleteSegmentInput!) { deleteSegment(input: $input) }`);

const changed = () => queryClient.invalidateQueries({ queryKey: ['Segments'] });

/** What a form says of a segment; without rules it has imported users only. */
export type Written = { name: string; rules: SegmentRulesInput | null; windowDays: number };

/** Makes a segment and gives its id. */
export async function createSegment({ app }: Place, { name, rules, windowDays }: Written): Promise<string> {
  const { data } = await send(createDocument, { input: { appId: app, name, rules, windowDays } });
  await changed();
  return data.createSegment.id;
}

/** Changes what differs of a segment: other rules may need more rights than another name. */
export async function updateSegment(id: string, before: Written, to: Written) {
  const input = {
    id,
    ...(to.name !== before.name && { name: to.name }),
    ...(JSON.stringify(to.rules) !== JSON.stringify(before.rules) &&
      (to.rules ? { rules: to.rules } : { importedOnly: true })),
    ...(to.windowDays !== before.windowDays && { windowDays: to.windowDays }),
  };
  await send(updateDocument, { input });
  await changed();
}

export async function deleteSegment(id: string) {
  await send(deleteDocument, { input: { id } });
  await changed();
}
