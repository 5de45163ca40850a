import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { isCompared } from '../../scope/scope';
import { engagementQuery } from './queries';
import { engagementSearch } from './search';

export const engagementRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'engagement',
  validateSearch: engagementSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => engagementQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./EngagementPage'), 'EngagementPage'),
});
