import { type Fragment, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import type { EngagementDimension, EngagementMetric } from '../../graphql/schema.gen';
import { valueSeries } from '../../scope/breakdown';
import { dependsOn, grainOf, type Place, type Side, scopeOfSide } from '../../scope/scope';
import { tableArguments } from '../../scope/table';
import type { EngagementView } from './search';

/** The columns that each list has. */
export const metricsOf: Record<EngagementDimension, readonly EngagementMetric[]> = {
  PAGE: ['VISITORS', 'SESSIONS', 'VIEWS', 'AVERAGE_SECONDS_ON_PAGE', 'ENTRIES', 'EXITS', 'EXIT_RATE'],
  ENTRY: ['VISITORS', 'SESSIONS', 'BOUNCE_RATE', 'AVERAGE_SESSION_SECONDS', 'REVENUE'],
  EXIT: ['VISITORS', 'SESSIONS', 'EXIT_RATE'],
};

/** What the chart can draw of them. */
const drawn: Record<EngagementDimension, readonly EngagementMetric[]> = {
  PAGE: ['VISITORS', 'SESSIONS', 'VIEWS', 'AVERAGE_SECONDS_ON_PAGE'],
  ENTRY: ['VISITORS', 'SESSIONS', 'BOUNCE_RATE', 'AVERAGE_SESSION_SECONDS', 'REVENUE'],
  EXIT: ['VISITORS', 'SESSIONS'],
};

const row = graphql<'EngagementFigures'>(`
  fragment EngagementFigures on EngagementRow {
    value visitors sessions views averageSecondsOnPage entries exits exitRate bounceRate averageSessionSeconds revenue
  }`);

export type EngagementRow = Fragment<typeof row>;

const document = graphql<'Engagement'>(
  `query Engagement(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $dimension: EngagementDimension!, $metric: EngagementMetric!
    $orderBy: EngagementMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      engagementSeries(dimension: $dimension, metric: $metric, grain: $grain) { ...ValueLine }
      engagement(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { ...EngagementFigures }
      }
    } }
  }`,
  [row, valueSeries],
);

/** What the chart draws: the column that the table is sorted by, where it can be drawn. */
export const metricOf = (dimension: EngagementDimension, by: EngagementMetric): EngagementMetric =>
  drawn[dimension].includes(by) ? by : 'VISITORS';

export const engagementQuery = (
  place: Place,
  { dimension = 'PAGE', by, order, q, rows, hide: _h, ...scope }: EngagementView,
  side: Side = 'shown',
) =>
  query(document, [place, dependsOn(scope, side), dimension, by, order, q, rows, side], () => {
    const now = new Date();
    const orderBy = by && metricsOf[dimension].includes(by) ? by : 'VISITORS';
    return {
      app: place.app,
      scope: scopeOfSide(place, scope, now, side),
      grain: grainOf(scope, now),
      dimension,
      metric: metricOf(dimension, orderBy),
      ...tableArguments({ by: orderBy, order, q, rows }, 'VISITORS', side),
    };
  });
