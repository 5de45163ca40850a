import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { isCompared } from '../../scope/scope';
import { goalsQuery } from './queries';
import { goalsSearch } from './search';

export const goalsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'goals',
  validateSearch: goalsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => prefetchSides(isCompared(deps), (side) => goalsQuery(params, deps, side)),
  component: lazyRouteComponent(() => import('./GoalsPage'), 'GoalsPage'),
});
