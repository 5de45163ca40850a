import { graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import type { HomeCard } from '../../graphql/schema.gen';
import { send } from '../../graphql/send';
import { toFlowScope } from '../../scope/flowScope';
import { toRevenueScope } from '../../scope/revenueScope';
import { grainOf, isCompared, kindOf, type Place, type ScopeSearch, scopeOfSide, toScope } from '../../scope/scope';
import { shareToken } from '../../share/link';
import type { metrics } from './search';

export type Metric = (typeof metrics)[number];

const figures = graphql<'HomePoint'>(`
  fragment HomePoint on SeriesPoint {
    bucket visitors sessions views events newVisitors bounceRate averageSessionSeconds viewsPerSession revenue
  }`);

const document = graphql<'Home'>(
  `query Home($app: ID!, $environment: EnvironmentKind!, $scope: ScopeInput!, $compared: ScopeInput!, $compare: Boolean!, $grain: Grain!, $live: Boolean!) {
    app(id: $app) {
      live(environment: $environment) @include(if: $live) { count }
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
        live: !shareToken,
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

const layoutDocument = graphql<'HomeLayout'>(`
  query HomeLayout($app: ID!) { app(id: $app) { homeLayout { cards default } } }`);

export const layoutQuery = ({ app }: Place) => query(layoutDocument, app, () => ({ app }));

const setLayoutDocument = graphql<'SetHomeLayout'>(`
  mutation SetHomeLayout($input: SetHomeLayoutInput!) { setHomeLayout(input: $input) { cards default } }`);

/** Stores what the member's home page of the app shows; null brings the usual cards back. */
export async function setLayout({ app }: Place, cards: HomeCard[] | null) {
  await send(setLayoutDocument, { input: { appId: app, cards } });
  await queryClient.invalidateQueries({ queryKey: ['HomeLayout'] });
}

/** How many rows a card of the page lists. */
const rows = 8;

const goalsDocument = graphql<'HomeGoals'>(`
  query HomeGoals($app: ID!, $scope: ScopeInput!, $first: Int!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      goals(orderBy: CONVERTERS, first: $first) { totalCount nodes { goalId name converters rate } }
    } }
  }`);

export const homeGoalsQuery = (place: Place, search: ScopeSearch) =>
  query(goalsDocument, [place, search], () => ({
    app: place.app,
    scope: toScope(place, search, new Date()),
    first: rows,
  }));

const flowsDocument = graphql<'HomeFlows'>(`
  query HomeFlows($app: ID!, $scope: AppFlowScope!, $first: Int!) {
    app(id: $app) {
      flows(first: 200) { nodes { id name } }
      appFlowOverview(scope: $scope, first: $first, orderBy: STARTS) { nodes { flowId starts completionRate } }
    }
  }`);

export const homeFlowsQuery = (place: Place, search: ScopeSearch) =>
  query(flowsDocument, [place, search], () => {
    const { flowId: _, ...scope } = toFlowScope(place, search, '', new Date());
    return { app: place.app, scope, first: rows };
  });

const experimentsDocument = graphql<'HomeExperiments'>(`
  query HomeExperiments($app: ID!, $environment: EnvironmentKind!, $first: Int!) {
    app(id: $app) { experiments(environment: $environment, first: $first) { totalCount nodes {
      id name status startedAt endsAt stoppedAt channel { name }
    } } }
  }`);

export const homeExperimentsQuery = ({ app, environment }: Place) =>
  query(experimentsDocument, [app, environment], () => ({ app, environment: kindOf(environment), first: rows }));

const revenueDocument = graphql<'HomeRevenue'>(`
  query HomeRevenue($scope: RevenueScope!, $grain: Grain!) {
    revenue(scope: $scope) {
      totals { net gross refunds customers }
      series(grain: $grain) { bucket totals { net } }
    }
  }`);

export const homeRevenueQuery = (place: Place, search: ScopeSearch) =>
  query(revenueDocument, [place, search], () => {
    const now = new Date();
    return { scope: toRevenueScope(place, search, now, 'shown'), grain: grainOf(search, now) };
  });
