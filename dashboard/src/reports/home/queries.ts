import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { grainOf, isCompared, kindOf, type Place, type ScopeSearch, scopeOfSide, toScope } from '../../scope/scope';
import type { metrics } from './search';

export type Metric = (typeof metrics)[number];

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

export const firstEventDocument = graphql<'FirstEvent'>(`
  query FirstEvent($app: ID!, $kind: EnvironmentKind!) {
    app(id: $app) {
      environment(kind: $kind) { publishableKeys(first: 1) { nodes { key } } }
      ingestHealth(environment: $kind) { accepted }
    }
  }`);
