import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import { grainOf, isCompared, kindOf, type Place, type ScopeSearch, scopeOfSide, toScope } from '../../scope/scope';

const metrics = [
  'visitors',
  'sessions',
  'views',
  'events',
  'newVisitors',
  'bounceRate',
  'averageSessionSeconds',
  'viewsPerSession',
  'revenue',
] as const;
export type Metric = (typeof metrics)[number];

const searchSchema = v.object({ metric: v.optional(v.fallback(v.optional(v.picklist(metrics)), undefined)) });

const figures = graphql<'HomePoint'>(`
  fragment HomePoint on SeriesPoint {
    bucket visitors sessions views events newVisitors bounceRate averageSessionSeconds viewsPerSession revenue
  }`);

const document = graphql<'Home'>(
  `query Home($app: ID!, $environment: EnvironmentKind!, $scope: ScopeInput!, $compared: ScopeInput!, $compare: Boolean!, $grain: Grain!) {
    app(id: $app) {
      live(environment: $environment) { count }
      productAnalytics(scope: $scope) {
        range { start end }
        summary {
          visitors sessions views events newVisitors bounceRate averageSessionSeconds viewsPerSession revenue
        }
        series(grain: $grain) { ...HomePoint }
        overview {
          channel { value visitors revenue }
          referrer { value visitors revenue }
          source { value visitors revenue }
          campaign { value visitors revenue }
          page { value visitors views }
          entry { value visitors sessions }
          exit { value visitors sessions }
          country { value visitors revenue }
          device { value visitors revenue }
          browser { value visitors revenue }
          os { value visitors revenue }
          event { name visitors count }
        }
      }
      compared: productAnalytics(scope: $compared) @include(if: $compare) {
        summary { visitors sessions views events newVisitors bounceRate averageSessionSeconds viewsPerSession revenue }
        series(grain: $grain) { ...HomePoint }
      }
    }
  }`,
  [figures],
);

export const homeQuery = (place: Place, search: ScopeSearch) =>
  query(
    document,
    [place, search],
    () => {
      const now = new Date();
      return {
        app: place.app,
        environment: kindOf(place.environment),
        scope: toScope(place, search, now),
        compared: scopeOfSide(place, search, now, 'compared'),
        compare: isCompared(search),
        grain: grainOf(search, now),
      };
    },
    30_000,
  );

/** The scope's part of a page's search: another metric asks nothing anew. */
const scopeOf = ({ metric: _, ...search }: ScopeSearch & v.InferOutput<typeof searchSchema>): ScopeSearch => search;

export const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'home',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => scopeOf(search),
  // Not awaited: the scope bar follows the click, cards keep the old figures, marked stale, until the answer is there.
  loader: ({ params, deps }) => void queryClient.prefetchQuery(homeQuery(params, deps)),
  component: lazyRouteComponent(() => import('./HomePage'), 'HomePage'),
});

/** What the page's address says, and the part of it that is the scope. */
export const useHome = () => ({ search: homeRoute.useSearch(), place: homeRoute.useParams(), scopeOf });
