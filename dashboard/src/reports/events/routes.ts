import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { isCompared } from '../../scope/scope';
import { eventsQuery } from './queries';
import { eventsSearch } from './search';

export const eventsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'events',
  validateSearch: eventsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => eventsQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./EventsPage'), 'EventsPage'),
});
