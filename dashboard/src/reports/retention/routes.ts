import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { isCompared } from '../../scope/scope';
import { retentionQuery } from './queries';
import { retentionSearch } from './search';

export const retentionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'retention',
  validateSearch: retentionSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => retentionQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./RetentionPage'), 'RetentionPage'),
});
