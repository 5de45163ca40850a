import type { PageAddress } from '../app/navigation/pages';
import { type DataOf, graphql } from '../graphql/graphql';
import { Refused } from '../graphql/problems';
import { query, queryClient } from '../graphql/query';
import type { CreateSharedLinkInput, SharedReport } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import { keepKey } from './link';

/** What a link can share, in the words of the menu, and where each report is. */
export const reports = {
  HOME: { name: 'Home', page: '/apps/$app/$environment/home' },
  ACQUISITION: { name: 'Acquisition', page: '/apps/$app/$environment/acquisition' },
  ENGAGEMENT: { name: 'Engagement', page: '/apps/$app/$environment/engagement' },
  EVENTS: { name: 'Events', page: '/apps/$app/$environment/events' },
  GOALS: { name: 'Goals', page: '/apps/$app/$environment/goals' },
  RETENTION: { name: 'Retention', page: '/apps/$app/$environment/retention' },
  LOCATIONS: { name: 'Locations', page: '/apps/$app/$environment/locations' },
  DEVICES: { name: 'Devices', page: '/apps/$app/$environment/devices' },
} as const satisfies Record<SharedReport, { name: string; page: PageAddress }>;

export const sharedReports = Object.keys(reports) as SharedReport[];

/** The report of a page by the last part of its address; undefined where it cannot be shared. */
export const reportAt = (pathname: string): SharedReport | undefined =>
  sharedReports.find((report) => pathname.endsWith(`/${report.toLowerCase()}`));

const viewDocument = graphql<'SharedView'>(`
  query SharedView {
    sharedView {
      name app { id name } environment reports segment expiresAt poweredBy
      scope { period from to timeZone grain platform segmentId cross comparison against matchWeekdays }
    }
  }`);

export type SharedView = NonNullable<DataOf<'SharedView'>['sharedView']>;

/** What the link shows that opened this page. */
export const sharedViewQuery = {
  ...query(viewDocument, 'link', () => ({})),
  staleTime: Number.POSITIVE_INFINITY,
  throwOnError: false,
};

const openDocument = graphql<'OpenSharedLink'>(`
  mutation OpenSharedLink($input: OpenSharedLinkInput!) { openSharedLink(input: $input) { key } }`);

/** Lets in who knows the password of a link. False where it is wrong. */
export async function unlock(token: string, password: string): Promise<boolean> {
  try {
    const { data } = await send(openDocument, { input: { token, password } });
    keepKey(data.openSharedLink.key);
  } catch (error) {
    if (error instanceof Refused && error.code === 'invalid_input') return false;
    throw error;
  }
  queryClient.removeQueries(sharedViewQuery);
  return true;
}

const listDocument = graphql<'SharedLinks'>(`
  query SharedLinks($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) { sharedLinks(environment: $environment, first: 200) { totalCount nodes {
      id name reports hasPassword expiresAt lastOpenedAt createdAt author { name email }
    } } }
  }`);

export type SharedLink = NonNullable<NonNullable<DataOf<'SharedLinks'>['app']>['sharedLinks']>['nodes'][number];

/** The links of an environment that were not revoked, newest first. */
export const linksQuery = (place: Place) =>
  query(listDocument, place, () => ({ app: place.app, environment: kindOf(place.environment) }));

const createDocument = graphql<'CreateSharedLink'>(`
  mutation CreateSharedLink($input: CreateSharedLinkInput!) { createSharedLink(input: $input) { token } }`);
const revokeDocument = graphql<'RevokeSharedLink'>(`
  mutation RevokeSharedLink($input: RevokeSharedLinkInput!) { revokeSharedLink(input: $input) { id } }`);

const changed = () => queryClient.invalidateQueries({ queryKey: ['SharedLinks'] });

/** Gives back the address of the reports, which is known this once. */
export async function createLink(input: CreateSharedLinkInput): Promise<string> {
  const { data } = await send(createDocument, { input });
  await changed();
  return `${location.origin}/share/${data.createSharedLink.token}`;
}

export async function revokeLink(id: string) {
  await send(revokeDocument, { input: { id } });
  await changed();
}
