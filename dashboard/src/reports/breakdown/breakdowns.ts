import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import type { AttributionDimension, LocationDimension, TechnologyDimension } from '../../graphql/schema.gen';
import { breakdownRow, sessionMetrics, valueSeries } from '../../scope/breakdown';
import type { Dimension } from '../../scope/filters';
import { prefetchSides } from '../../scope/prefetch';
import {
  dependsOn,
  grainOf,
  isCompared,
  type Place,
  type ScopeSearch,
  type Side,
  scopeOfSide,
} from '../../scope/scope';
import { type TableSearch, tableArguments, tableSchema } from '../../scope/table';

/** A report that counts sessions by a value: what it is called, and its dimensions with the filter that a row is. The
 * first dimension is the one of an address that names none. */
export type Breakdown<D extends string = string> = {
  title: string;
  dimensions: Record<D, { name: string; filter?: Dimension }>;
  /** Names of the two fields of the answer. */
  fields: { series: string; table: string };
};

export const acquisition: Breakdown<AttributionDimension> = {
  title: 'Acquisition',
  dimensions: {
    ACQUISITION_CHANNEL: { name: 'Channel', filter: 'channel' },
    SOURCE: { name: 'Source', filter: 'source' },
    REFERRER: { name: 'Referrer', filter: 'referrer' },
    MEDIUM: { name: 'Medium', filter: 'medium' },
    CAMPAIGN: { name: 'Campaign', filter: 'campaign' },
    CONTENT: { name: 'Content' },
    TERM: { name: 'Term' },
    ADSET: { name: 'Ad set' },
    CREATIVE: { name: 'Creative' },
  },
  fields: { series: 'attributionSeries', table: 'attribution' },
};

export const places: Breakdown<LocationDimension> = {
  title: 'Places',
  dimensions: {
    COUNTRY: { name: 'Country', filter: 'country' },
    REGION: { name: 'Region', filter: 'region' },
    CITY: { name: 'City' },
  },
  fields: { series: 'demographicSeries', table: 'demographic' },
};

export const technology: Breakdown<TechnologyDimension> = {
  title: 'Technology',
  dimensions: {
    BROWSER: { name: 'Browser', filter: 'browser' },
    OS: { name: 'OS', filter: 'os' },
    DEVICE: { name: 'Device', filter: 'device' },
  },
  fields: { series: 'technologySeries', table: 'technology' },
};

/** What an address may say of such a report. */
export type BreakdownView<D extends string> = ScopeSearch &
  TableSearch<(typeof sessionMetrics)[number]> & { dimension?: D };

const searchSchema = <D extends string>({ dimensions }: Breakdown<D>) =>
  v.object({
    dimension: v.optional(v.fallback(v.optional(v.picklist(Object.keys(dimensions) as D[])), undefined)),
    ...tableSchema(sessionMetrics).entries,
  });

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

const placesDocument = graphql<'Places'>(
  `query Places(
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

const technologyDocument = graphql<'Technology'>(
  `query Technology(
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
export const placesQuery = (place: Place, view: BreakdownView<LocationDimension>, side: Side = 'shown') =>
  query(placesDocument, [place, asked(view, side), side], () => ({
    ...variables(place, view.dimension ?? 'COUNTRY', view, side),
    map: side === 'shown' && (view.dimension ?? 'COUNTRY') === 'COUNTRY',
  }));
export const technologyQuery = (place: Place, view: BreakdownView<TechnologyDimension>, side: Side = 'shown') =>
  query(technologyDocument, [place, asked(view, side), side], () =>
    variables(place, view.dimension ?? 'BROWSER', view, side),
  );

export const acquisitionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'acquisition',
  validateSearch: searchSchema(acquisition),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => acquisitionQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'AcquisitionPage'),
});
export const placesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'places',
  validateSearch: searchSchema(places),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => placesQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'PlacesPage'),
});
export const technologyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'technology',
  validateSearch: searchSchema(technology),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => technologyQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'TechnologyPage'),
});
