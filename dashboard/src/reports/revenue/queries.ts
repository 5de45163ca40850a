import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { toRevenueScope } from '../../scope/revenueScope';
import { dependsOn, grainOf, isCompared, type Place, type ScopeSearch, type Side } from '../../scope/scope';
import type { RevenueView, sorts } from './search';

export type Sort = (typeof sorts)[number];

/** How many values the page asks for at most. */
export const mostValues = 200;

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

/** Money is compared with that of another period: segments, versions and arms are of people. */
export const comparesMoney = (search: ScopeSearch): boolean =>
  (search.compare === undefined || search.compare === 'year') && isCompared(search);

export function revenueQuery(place: Place, view: RevenueView, side: Side = 'shown') {
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
