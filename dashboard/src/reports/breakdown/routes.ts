import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { movedTo } from '../../app/address';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { isCompared } from '../../scope/scope';
import { acquisition, devices, locations } from './breakdowns';
import { acquisitionQuery, devicesQuery, locationsQuery } from './queries';
import { breakdownSearch } from './search';

export const acquisitionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'acquisition',
  validateSearch: breakdownSearch(acquisition),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => acquisitionQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'AcquisitionPage'),
});

export const locationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'locations',
  validateSearch: breakdownSearch(locations),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => locationsQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'LocationsPage'),
});

export const devicesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'devices',
  validateSearch: breakdownSearch(devices),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => devicesQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./BreakdownPages'), 'DevicesPage'),
});

/** Leads to the address that a page has today. */
const move = ({ location }: { location: { href: string } }) => {
  throw redirect({ href: movedTo(location.href) ?? '/', replace: true });
};

// Bookmarks and mails have the addresses of before.
export const placesRoute = createRoute({ getParentRoute: () => appRoute, path: 'places', beforeLoad: move });
export const technologyRoute = createRoute({ getParentRoute: () => appRoute, path: 'technology', beforeLoad: move });
