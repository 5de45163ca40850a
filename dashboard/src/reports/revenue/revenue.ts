import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import type { RevenueDimension, RevenueScope } from '../../graphql/schema.gen';
import { prefetchSides } from '../../scope/prefetch';
import {
  dependsOn,
  filtersOf,
  grainOf,
  isCompared,
  type Place,
  type ScopeSearch,
  type Side,
  scopeOfSide,
} from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const dimensions = [
  'PROVIDER',
  'STORE',
  'PRODUCT',
  'COUNTRY',
  'PERIOD_LENGTH',
  'ACQUISITION_CHANNEL',
] as const satisfies readonly RevenueDimension[];

/** The columns of the table. */
const sorts = ['gross', 'refunds', 'net', 'customers', 'active', 'mrr', 'trials', 'conversion'] as const;
export type Sort = (typeof sorts)[number];

/** How many values the page asks for at most. */
export const mostValues = 200;

const searchSchema = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(dimensions)), undefined)),
  /** The table: the column that it is sorted by, and the rest of what tables say. */
  sort: v.optional(v.fallback(v.optional(v.picklist(sorts)), undefined)),
  ...v.omit(tableSchema(sorts), ['by']).entries,
  basis: v.optional(v.fallback(v.optional(v.literal('charge')), undefined)),
});
type View = ScopeSearch & v.InferOutput<typeof searchSchema>;

const document = graphql<'RevenueReport'>(`
  query RevenueReport($scope: RevenueScope!, $grain: Grain!, $by: RevenueDimension!, $first: Int!) {
    revenue(scope: $scope) {
      totals {
        gross refunds chargebacks net new renewal tax commission proceeds transactions refunded refundRate customers unconverted
        withoutPersonRows withoutPerson
      }
      series(grain: $grain) { bucket totals { net new renewal } }
      subscriptions {
        state { active trials mrr arr } churnRate churned activeAtStart
        movement { new reactivation expansion contraction churn }
        trials { started converted pending abandoned conversionRate }
      }
      subscriptionSeries(grain: $grain) { bucket state { mrr active } }
      breakdown(dimension: $by, first: $first) { totalCount nodes {
        value totals { gross refunds net customers refundRate } subscriptions { active mrr } trials { started conversionRate }
      } }
    }
  }`);

export type Revenue = NonNullable<DataOf<'RevenueReport'>['revenue']>;

/** Money is filtered by country alone: it belongs to charges, not to sessions. */
export const countryOnly = (search: ScopeSearch) =>
  filtersOf(search).filter(({ dimension, operator }) => dimension === 'country' && operator === 'is');

/** Money is compared with that of another period: segments, versions and arms are of people. */
export const comparesMoney = (search: ScopeSearch): boolean =>
  (search.compare === undefined || search.compare === 'year') && isCompared(search);

function toRevenueScope(place: Place, search: View, now: Date, side: Side): RevenueScope {
  const { environment, range, timeZone } = scopeOfSide(place, { ...search, f: undefined }, now, side);
  const [country] = countryOnly(search);
  return {
    appId: place.app,
    environment,
    range,
    timeZone,
    basis: search.basis === 'charge' ? 'CHARGE' : 'EVENT',
    ...(country && { countries: country.values }),
  };
}

export function revenueQuery(place: Place, view: View, side: Side = 'shown') {
  const { by = 'PRODUCT', basis, rows, sort: _s, order: _o, q: _q, hide: _h, ...scope } = view;
  return query(document, [place, dependsOn(scope, side), by, basis, rows, side], () => {
    const now = new Date();
    return {
      scope: toRevenueScope(place, { basis, ...scope }, now, side),
      grain: grainOf(scope, now),
      by,
      first: rows || side === 'compared' ? mostValues : 50,
    };
  });
}

export const revenueRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'revenue',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(comparesMoney(deps), (side) => revenueQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./RevenuePage'), 'RevenuePage'),
});
