import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { toFlowScope } from '../../scope/flowScope';
import type { Place, ScopeSearch } from '../../scope/scope';

const recentDocument = graphql<'RecentRuns'>(`
  query RecentRuns($scope: FlowAnalyticsScope!) {
    flowAnalytics(scope: $scope) { recent(first: 20) { complete nodes {
      id appUserId customUserId startedAt lastAt state platform country locale variant versionId path { stepId }
    } } }
  }`);

export type RecentRun = NonNullable<NonNullable<DataOf<'RecentRuns'>['flowAnalytics']>['recent']>['nodes'][number];

/** The newest runs of the scope. */
export const recentRunsQuery = (place: Place, scope: ScopeSearch, flow: string) =>
  query(recentDocument, [place, scope, flow], () => ({ scope: toFlowScope(place, scope, flow, new Date()) }));

const runDocument = graphql<'FlowRun'>(`
  query FlowRun($scope: FlowAnalyticsScope!, $id: String!) {
    flowAnalytics(scope: $scope) { run(id: $id) {
      run {
        appUserId customUserId startedAt lastAt state versionId platform locale country city device variant
        path { stepId at seconds }
      }
      events { name at seq stepId properties }
    } }
  }`);

export type RunRecord = NonNullable<NonNullable<DataOf<'FlowRun'>['flowAnalytics']>['run']>;

/** One run with all that it recorded. */
export const runQuery = (place: Place, flow: string, id: string) => ({
  ...query(runDocument, [place, flow, id], () => ({
    scope: toFlowScope(place, {}, flow, new Date()),
    id,
  })),
  placeholderData: undefined, // another run's would be wrong
});

const versionDocument = graphql<'RunVersion'>(`
  query RunVersion($id: ID!) { flowVersion(id: $id) { number label manifest } }`);

/** The version that a run went through; it never changes. */
export const versionQuery = (id: string) => ({
  ...query(versionDocument, id, () => ({ id })),
  placeholderData: undefined,
  staleTime: Number.POSITIVE_INFINITY,
});
