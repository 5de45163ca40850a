import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../app/routes';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import { type Answer, send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import { tableSchema } from '../scope/table';

const text = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(400))), undefined));

const listSchema = v.object({
  /** Where the page begins: the cursor of the one before. */
  after: text,
  ...tableSchema(['FIRST_SEEN', 'LAST_SEEN', 'STARTS', 'COMPLETIONS', 'REVENUE']).entries,
});
type ListView = v.InferOutput<typeof listSchema>;

const listDocument = graphql<'People'>(`
  query People($app: ID!, $environment: EnvironmentKind!, $search: String, $first: Int!, $after: String) {
    app(id: $app) { people(environment: $environment, search: $search, first: $first, after: $after) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes {
        customUserId email firstName lastName country createdAt devices { appUserId }
        activity { status language firstSeenAt lastSeenAt starts completions revenueUsd }
      }
    } }
  }`);

/** How many people the server gives at once. */
export const mostPeople = 200;

export type PersonRow = NonNullable<NonNullable<DataOf<'People'>['app']>['people']>['nodes'][number];

/** A page of the people whom the app identified, the newest first. */
export const peopleQuery = (place: Place, { q, after, rows }: ListView) =>
  query(listDocument, [place, q, after, rows], () => ({
    app: place.app,
    environment: kindOf(place.environment),
    search: q ?? null,
    first: Math.min(mostPeople, rows ? Number(rows) : 50),
    after: after ?? null,
  }));

export const peopleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'people',
  validateSearch: listSchema,
  loaderDeps: ({ search: { q, after, rows } }) => ({ q, after, rows }),
  loader: ({ params, deps }) => void queryClient.prefetchQuery(peopleQuery(params, deps)),
  component: lazyRouteComponent(() => import('./PeoplePage'), 'PeoplePage'),
});

/** Who a person is: a device, or everybody's name for them. Exactly one is set where the address is right. */
export type Who = { device?: string; custom?: string };

const personDocument = graphql<'Person'>(`
  query Person($app: ID!, $environment: EnvironmentKind!, $device: String, $custom: String, $first: Int!) {
    app(id: $app) {
      flows(includeArchived: true, first: 200) { nodes { id name } }
      person(environment: $environment, appUserId: $device, customUserId: $custom) {
        customUserId email firstName lastName phone locale country timezone attributes createdAt identifiedAt
        marketingConsent marketingConsentAt topicConsents { topic consent at }
        consentLog(first: 20) { at topic consent appUserId }
        devices { appUserId linkedAt }
        activity { status language firstSeenAt lastSeenAt starts completions revenueUsd }
        timeline(first: $first) { totalCount nodes { at kind appUserId id name detail endedAt flowId automationId usd } }
      }
    }
  }`);

export type Person = NonNullable<NonNullable<DataOf<'Person'>['app']>['person']>;

const steps = ['200', '1000'] as const;

export const personQuery = (place: Place, { device, custom }: Who, rows?: (typeof steps)[number]) =>
  query(personDocument, [place, device, custom, rows], () => ({
    app: place.app,
    environment: kindOf(place.environment),
    device: custom ? null : (device ?? null),
    custom: custom ?? null,
    first: rows ? Number(rows) : 50,
  }));

export const personRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'people/person',
  validateSearch: v.object({
    device: text,
    custom: text,
    rows: v.optional(v.fallback(v.optional(v.picklist(steps)), undefined)),
  }),
  loaderDeps: ({ search: { device, custom, rows } }) => ({ device, custom, rows }),
  loader: ({ params, deps: { rows, ...who } }) => void queryClient.prefetchQuery(personQuery(params, who, rows)),
  component: lazyRouteComponent(() => import('./PersonPage'), 'PersonPage'),
});

const exportDocument = graphql<'ExportPerson'>(`
  mutation ExportPerson($input: ExportPersonInput!) {
    exportPerson(input: $input) { devices endCursor records { table row } }
  }`);

/** Everything that is stored of a person, a JSON object a line, as `svc people export` writes it. */
export async function exportPerson(place: Place, who: Who): Promise<string> {
  const lines: string[] = [];
  let after: string | null = null;
  do {
    const { data }: Answer<'ExportPerson'> = await send(exportDocument, { input: { ...inputOf(place, who), after } });
    lines.push(...data.exportPerson.records.map((record) => JSON.stringify(record)));
    after = data.exportPerson.endCursor;
  } while (after !== null);
  return `${lines.join('\n')}\n`;
}

const eraseDocument = graphql<'ErasePerson'>(`
  mutation ErasePerson($input: ErasePersonInput!) {
    erasePerson(input: $input) { id finishedAt devices removed { table rows } }
  }`);

export const erasePerson = async (place: Place, who: Who) =>
  (await send(eraseDocument, { input: inputOf(place, who) })).data.erasePerson;

export type Erased = DataOf<'ErasePerson'>['erasePerson'];

const inputOf = (place: Place, { device, custom }: Who) => ({
  appId: place.app,
  environment: kindOf(place.environment),
  ...(custom ? { customUserId: custom } : { appUserId: device }),
});
