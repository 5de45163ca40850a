import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import { breakdownRow, sessionMetrics, valueSeries } from '../../scope/breakdown';
import { grainOf, type Place, type ScopeSearch, toScope } from '../../scope/scope';
import { tableArguments, tableSchema } from '../../scope/table';

const dimensions = ['COUNTRY', 'REGION', 'CITY'] as const;

const searchSchema = v.object({
  dimension: v.optional(v.fallback(v.optional(v.picklist(dimensions)), undefined)),
  ...tableSchema(sessionMetrics).entries,
});
type View = ScopeSearch & v.InferOutput<typeof searchSchema>;

const document = graphql<'Places'>(
  `query Places(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $dimension: LocationDimension!
    $orderBy: SessionMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      demographicSeries(dimension: $dimension, metric: $orderBy, grain: $grain) { ...ValueLine }
      demographic(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { ...BreakdownFigures }
      }
    } }
  }`,
  [breakdownRow, valueSeries],
);

export const placesQuery = (place: Place, { dimension = 'COUNTRY', by, order, q, rows, ...scope }: View) =>
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

export const placesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'places',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(placesQuery(params, deps)),
  component: lazyRouteComponent(() => import('./PlacesPage'), 'PlacesPage'),
});
