import type { RevenueScope } from '../graphql/schema.gen';
import { filtersOf, type Place, type ScopeSearch, type Side, scopeOfSide } from './scope';

/** Money is filtered by country alone: it belongs to charges, not to sessions. */
export const countryOnly = (search: ScopeSearch) =>
  filtersOf(search).filter(({ dimension, operator }) => dimension === 'country' && operator === 'is');

/** The input of the reports of revenue: the scope, with the filter that money knows. */
export function toRevenueScope(
  place: Place,
  search: ScopeSearch & { basis?: 'charge' | undefined },
  now: Date,
  side: Side,
): RevenueScope {
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
