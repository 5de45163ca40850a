import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { type Answer, send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import type { PeopleView, steps } from './search';

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
export const peopleQuery = (place: Place, { q, after, rows }: PeopleView) =>
  query(listDocument, [place, q, after, rows], () => ({
    app: place.app,
    environment: kindOf(place.environment),
    search: q ?? null,
    first: Math.min(mostPeople, rows ? Number(rows) : 50),
    after: after ?? null,
  }));

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

export const personQuery = (place: Place, { device, custom }: Who, rows?: (typeof steps)[number]) =>
  query(personDocument, [place, device, custom, rows], () => ({
    app: place.app,
    environment: kindOf(place.environment),
    device: custom ? null : (device ?? null),
    custom: custom ?? null,
    first: rows ? Number(rows) : 50,
  }));

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
