import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { visitorsQuery } from './queries';
import { visitorsSearch } from './search';

export const visitorsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'visitors',
  validateSearch: visitorsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(visitorsQuery(params, deps)),
  component: lazyRouteComponent(() => import('./VisitorsPage'), 'VisitorsPage'),
});
