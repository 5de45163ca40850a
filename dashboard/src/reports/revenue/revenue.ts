import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { type DataOf, graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import type { RevenueDimension, RevenueScope } from '../../graphql/schema.gen';
import { filtersOf, grainOf, type Place, type ScopeSearch, toScope } from '../../scope/scope';

export const dimensions = [
  'PROVIDER',
  'STORE',
  'PRODUCT',
  'COUNTRY',
  'PERIOD_LENGTH',
  'ACQUISITION_CHANNEL',
] as const satisfies readonly RevenueDimension[];

const searchSchema = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(dimensions)), undefined)),
  basis: v.optional(v.fallback(v.optional(v.literal('charge')), undefined)),
});
type View = ScopeSearch & v.InferOutput<typeof searchSchema>;

const document = graphql<'RevenueReport'>(`
  query RevenueReport($scope: RevenueScope!, $grain: Grain!, $by: RevenueDimension!) {
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
      breakdown(dimension: $by, first: 50) { totalCount nodes {
        value totals { gross refunds net customers refundRate } subscriptions { active mrr } trials { started conversionRate }
      } }
    }
  }`);

export type Revenue = NonNullable<DataOf<'RevenueReport'>['revenue']>;

/** Money is filtered by country alone: it belongs to charges, not to sessions. */
export const countryOnly = (search: ScopeSearch) =>
  filtersOf(search).filter(({ dimension, operator }) => dimension === 'country' && operator === 'is');

function toRevenueScope(place: Place, search: View, now: Date): RevenueScope {
  const { environment, range, timeZone } = toScope(place, { ...search, f: undefined }, now);
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

export const revenueQuery = (place: Place, { by = 'PRODUCT', basis, ...scope }: View) =>
  query(document, [place, scope, by, basis], () => {
    const now = new Date();
    return { scope: toRevenueScope(place, { basis, ...scope }, now), grain: grainOf(scope, now), by };
  });

export const revenueRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'revenue',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(revenueQuery(params, deps)),
  component: lazyRouteComponent(() => import('./RevenuePage'), 'RevenuePage'),
});
