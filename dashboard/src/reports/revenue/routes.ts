import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { comparesMoney, revenueQuery } from './queries';
import { revenueSearch } from './search';

export const revenueRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'revenue',
  validateSearch: revenueSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(comparesMoney(deps), (side) => revenueQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./RevenuePage'), 'RevenuePage'),
});
