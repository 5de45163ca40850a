import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';

import { mayFilter } from '../share/link';
import { type Filter, writeFilter } from './filters';
import { filtersOf, type Place, type ScopeSearch } from './scope';

const appRoute = getRouteApi('/apps/$app/$environment');

/** The scope of the page and how to change it: the address is its only state. */
export function useView() {
  const search: ScopeSearch = appRoute.useSearch();
  const place: Place = appRoute.useParams();
  const navigate = useNavigate();
  return useMemo(() => {
    const change = (changes: ScopeSearch, replace = false) =>
      void navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), resetScroll: false, replace });
    const setFilters = (filters: readonly Filter[]) => {
      const allowed = filters.filter(({ dimension }) => mayFilter(dimension));
      change({ f: allowed.length > 0 ? allowed.map(writeFilter) : undefined });
    };
    return { search, place, filters: filtersOf(search), change, setFilters };
  }, [search, place, navigate]);
}
