import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { shareToken } from '../../share/link';
import { homeQuery, layoutQuery } from './queries';
import { homeSearch, scopeOf } from './search';

export const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'home',
  validateSearch: homeSearch,
  loaderDeps: ({ search }) => scopeOf(search),
  // Not awaited: the scope bar follows the click, cards keep the old figures, marked stale, until the answer is there.
  loader: ({ params, deps }) => {
    if (!shareToken) void queryClient.prefetchQuery(layoutQuery(params));
    void queryClient.prefetchQuery(homeQuery(params, deps));
  },
  component: lazyRouteComponent(() => import('./HomePage'), 'HomePage'),
});
