import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { type DataOf, graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import { toFlowScope } from '../../scope/flowScope';
import type { Place, ScopeSearch } from '../../scope/scope';

const searchSchema = v.object({ archived: v.optional(v.fallback(v.optional(v.literal('yes')), undefined)) });
type View = ScopeSearch & v.InferOutput<typeof searchSchema>;

const document = graphql<'Flows'>(`
  query Flows($app: ID!, $environment: EnvironmentKind!, $scope: AppFlowScope!, $archived: Boolean!) {
    app(id: $app) {
      flows(includeArchived: $archived, first: 200) { nodes {
        id name archivedAt updatedAt draftRevision versions(first: 1) { totalCount nodes { id number label createdAt } }
      } totalCount }
      environment(kind: $environment) { channels(first: 200) { nodes { id name version { id flow { id } } experiment { id name } } } }
      appFlowOverview(scope: $scope, first: 200) { nodes { flowId starts completions completionRate purchases revenue } }
    }
  }`);

type App = NonNullable<DataOf<'Flows'>['app']>;
export type FlowRow = NonNullable<App['flows']>['nodes'][number];

export const flowsQuery = (place: Place, { archived, ...scope }: View) =>
  query(document, [place, scope, archived], () => {
    const { flowId: _, ...rest } = toFlowScope(place, scope, '', new Date());
    return { app: place.app, environment: rest.environment ?? 'LIVE', scope: rest, archived: archived === 'yes' };
  });

export const flowsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(flowsQuery(params, deps)),
  component: lazyRouteComponent(() => import('./FlowsPage'), 'FlowsPage'),
});
