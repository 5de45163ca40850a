import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { prefetchSides } from '../../scope/prefetch';
import { isCompared } from '../../scope/scope';
import { pathsQuery } from './queries';
import { pathsSearch } from './search';

export const pathsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'paths',
  validateSearch: pathsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    const { kind, name } = deps;
    if (!kind || !name) return;
    return prefetchSides(isCompared(deps), (side) => pathsQuery(params, { kind, name }, deps, side));
  },
  component: lazyRouteComponent(() => import('./PathsPage'), 'PathsPage'),
});
