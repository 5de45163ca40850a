import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import { breakdownRow, sessionMetrics, valueSeries } from '../../scope/breakdown';
import { grainOf, type Place, type ScopeSearch, toScope } from '../../scope/scope';
import { tableArguments, tableSchema } from '../../scope/table';

const dimensions = ['BROWSER', 'OS', 'DEVICE'] as const;

const searchSchema = v.object({
  dimension: v.optional(v.fallback(v.optional(v.picklist(dimensions)), undefined)),
  ...tableSchema(sessionMetrics).entries,
});
type View = ScopeSearch & v.InferOutput<typeof searchSchema>;

const document = graphql<'Technology'>(
  `query Technology(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $dimension: TechnologyDimension!
    $orderBy: SessionMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      technologySeries(dimension: $dimension, metric: $orderBy, grain: $grain) { ...ValueLine }
      technology(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { ...BreakdownFigures }
      }
    } }
  }`,
  [breakdownRow, valueSeries],
);

export const technologyQuery = (place: Place, { dimension = 'BROWSER', by, order, q, rows, ...scope }: View) =>
  query(document, [place, scope, dimension, by, order, q, rows], () => {
    const now = new Date();
    return {
      app: place.app,
      scope: toScope(place, scope, now),
      grain: grainOf(scope, now),
      dimension,
      ...tableArguments({ by, order, q, rows }, 'VISITORS'),
    };
  });

export const technologyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'technology',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(technologyQuery(params, deps)),
  component: lazyRouteComponent(() => import('./TechnologyPage'), 'TechnologyPage'),
});
