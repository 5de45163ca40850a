import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { type Place, type ScopeSearch, toScope } from '../../scope/scope';
import { tableArguments } from '../../scope/table';
import type { VisitorsView } from './search';

const document = graphql<'Visitors'>(`
  query Visitors(
    $app: ID!, $scope: ScopeInput!, $orderBy: VisitorMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      visitors(orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes {
          appUserId customUserId firstSeen lastSeen sessions views events country city platform device browser os source
          channel revenueUsd runs completedRuns
        }
      }
    } }
  }`);

export type VisitorRow = NonNullable<
  NonNullable<NonNullable<DataOf<'Visitors'>['app']>['productAnalytics']>['visitors']
>['nodes'][number];

export const visitorsQuery = (place: Place, { user: _, by, order, q, rows, hide: _h, ...scope }: VisitorsView) =>
  query(document, [place, scope, by, order, q, rows], () => ({
    app: place.app,
    scope: toScope(place, scope, new Date()),
    ...tableArguments({ by, order, q, rows }, 'LAST_SEEN'),
  }));

const timeline = graphql<'Timeline'>(`
  query Timeline($app: ID!, $scope: ScopeInput!, $user: String!) {
    app(id: $app) { productAnalytics(scope: $scope) { timeline(appUserId: $user, first: 100) {
      totalCount
      nodes {
        startedAt
        session { seconds views events entry exit country city platform device browser os source channel }
        run { flowId versionId variant state seconds }
      }
    } } }
  }`);

/** What a person did in the range, the latest first. */
export const timelineQuery = (place: Place, scope: ScopeSearch, user: string) =>
  query(timeline, [place, scope, user], () => ({ app: place.app, scope: toScope(place, scope, new Date()), user }));
