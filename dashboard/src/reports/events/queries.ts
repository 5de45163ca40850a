import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { valueSeries } from '../../scope/breakdown';
import {
  dependsOn,
  grainOf,
  kindOf,
  type Place,
  type ScopeSearch,
  type Side,
  scopeOfSide,
  toScope,
} from '../../scope/scope';
import { tableArguments } from '../../scope/table';
import type { EventsView } from './search';

const document = graphql<'Events'>(
  `query Events(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $metric: EventSeriesMetric!
    $orderBy: EventMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      eventsSeries(metric: $metric, grain: $grain) { ...ValueLine }
      events(orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { name count visitors sessions lastSeen builtIn }
      }
    } }
  }`,
  [valueSeries],
);

export const eventsQuery = (
  place: Place,
  { event: _, by, order, q, rows, hide: _h, ...scope }: EventsView,
  side: Side = 'shown',
) =>
  query(document, [place, dependsOn(scope, side), by, order, q, rows, side], () => {
    const now = new Date();
    return {
      app: place.app,
      scope: scopeOfSide(place, scope, now, side),
      grain: grainOf(scope, now),
      metric: by && by !== 'LAST_SEEN' ? by : 'COUNT',
      ...tableArguments({ by, order, q, rows }, 'COUNT', side),
    };
  });

const recent = graphql<'RecentEvents'>(`
  query RecentEvents($app: ID!, $environment: EnvironmentKind!, $name: String!, $range: RangeInput, $after: String) {
    app(id: $app) { recentEvents(environment: $environment, name: $name, range: $range, first: 50, after: $after) {
      nodes { eventId occurredAt appUserId customUserId page country platform properties attribution customProperties }
      pageInfo { hasNextPage endCursor }
    } }
  }`);

/** The latest rows of one event in the range. */
export const recentQuery = (place: Place, scope: ScopeSearch, name: string) =>
  query(recent, [place, scope, name], () => ({
    app: place.app,
    environment: kindOf(place.environment),
    name,
    range: toScope(place, scope, new Date()).range ?? null,
  }));
