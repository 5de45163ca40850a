import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import type { AttributionDimension, LocationDimension, TechnologyDimension } from '../../graphql/schema.gen';
import { breakdownRow, valueSeries } from '../../scope/breakdown';
import { dependsOn, grainOf, type Place, type Side, scopeOfSide } from '../../scope/scope';
import { tableArguments } from '../../scope/table';
import type { BreakdownView } from './search';

const acquisitionDocument = graphql<'Acquisition'>(
  `query Acquisition(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $dimension: AttributionDimension!
    $orderBy: SessionMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      series: attributionSeries(dimension: $dimension, metric: $orderBy, grain: $grain) { ...ValueLine }
      table: attribution(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { ...BreakdownFigures }
      }
    } }
  }`,
  [breakdownRow, valueSeries],
);

const locationsDocument = graphql<'Locations'>(
  `query Locations(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $dimension: LocationDimension!
    $orderBy: SessionMetric!, $ascending: Boolean!, $first: Int!, $search: String, $map: Boolean!
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      series: demographicSeries(dimension: $dimension, metric: $orderBy, grain: $grain) { ...ValueLine }
      table: demographic(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { ...BreakdownFigures }
      }
      map: demographic(dimension: COUNTRY, orderBy: $orderBy, first: 250) @include(if: $map) {
        nodes { ...BreakdownFigures }
      }
    } }
  }`,
  [breakdownRow, valueSeries],
);

const devicesDocument = graphql<'Devices'>(
  `query Devices(
    $app: ID!, $scope: ScopeInput!, $grain: Grain!, $dimension: TechnologyDimension!
    $orderBy: SessionMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      series: technologySeries(dimension: $dimension, metric: $orderBy, grain: $grain) { ...ValueLine }
      table: technology(dimension: $dimension, orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { ...BreakdownFigures }
      }
    } }
  }`,
  [breakdownRow, valueSeries],
);

function variables<D extends string>(place: Place, dimension: D, view: BreakdownView<D>, side: Side) {
  const now = new Date();
  return {
    app: place.app,
    scope: scopeOfSide(place, view, now, side),
    grain: grainOf(view, now),
    dimension,
    ...tableArguments(view, 'VISITORS', side),
  };
}

/** Hidden columns ask nothing else. */
const asked = <D extends string>({ hide: _, ...view }: BreakdownView<D>, side: Side) => dependsOn(view, side);

export const acquisitionQuery = (place: Place, view: BreakdownView<AttributionDimension>, side: Side = 'shown') =>
  query(acquisitionDocument, [place, asked(view, side), side], () =>
    variables(place, view.dimension ?? 'ACQUISITION_CHANNEL', view, side),
  );

export const locationsQuery = (place: Place, view: BreakdownView<LocationDimension>, side: Side = 'shown') =>
  query(locationsDocument, [place, asked(view, side), side], () => ({
    ...variables(place, view.dimension ?? 'COUNTRY', view, side),
    map: side === 'shown' && (view.dimension ?? 'COUNTRY') === 'COUNTRY',
  }));

export const devicesQuery = (place: Place, view: BreakdownView<TechnologyDimension>, side: Side = 'shown') =>
  query(devicesDocument, [place, asked(view, side), side], () =>
    variables(place, view.dimension ?? 'BROWSER', view, side),
  );
