import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { isCompared } from '../../scope/scope';
import { acquisition, places, technology } from './breakdowns';
import { acquisitionQuery, placesQuery, technologyQuery } from './queries';
import { breakdownSearch } from './search';

export const acquisitionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'acquisition',
  validateSearch: breakdownSearch(acquisition),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => acquisitionQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'AcquisitionPage'),
});

export const placesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'places',
  validateSearch: breakdownSearch(places),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => placesQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'PlacesPage'),
});

export const technologyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'technology',
  validateSearch: breakdownSearch(technology),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => technologyQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'TechnologyPage'),
});
