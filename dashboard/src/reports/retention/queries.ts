import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import type { Grain } from '../../graphql/schema.gen';
import { dependsOn, grainOf, type Place, type Side, scopeOfSide } from '../../scope/scope';
import { tableArguments } from '../../scope/table';
import type { RetentionView } from './search';

const document = graphql<'Retention'>(`
  query Retention(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $cohort: Grain!, $dimension: RetentionDimension!
    $orderBy: RetentionMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      retention { visitors days { offset returned eligible rate } }
      retentionCurve(days: 30) { offset returned eligible rate }
      retentionSeries(grain: $grain) { bucket new returning }
      retentionCohorts(grain: $cohort) { bucket size offsets { offset returned eligible rate } }
      retentionBreakdown(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { value visitors days { offset returned eligible rate } }
      }
    } }
  }`);

export const retentionQuery = (
  place: Place,
  { dimension = 'SOURCE', cohorts, show: _, by, order, q, rows, hide: _h, ...scope }: RetentionView,
  side: Side = 'shown',
) =>
  query(document, [place, dependsOn(scope, side), dimension, cohorts, by, order, q, rows, side], () => {
    const now = new Date();
    return {
      app: place.app,
      scope: scopeOfSide(place, scope, now, side),
      grain: grainOf(scope, now) === 'HOUR' ? 'DAY' : grainOf(scope, now),
      cohort: (cohorts?.toUpperCase() as Grain | undefined) ?? 'DAY',
      dimension,
      ...tableArguments({ by, order, q, rows }, 'VISITORS', side),
    };
  });
