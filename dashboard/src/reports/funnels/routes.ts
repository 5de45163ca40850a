import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { funnelsQuery } from './queries';
import { funnelsSearch } from './search';

export const funnelsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'funnels',
  validateSearch: funnelsSearch,
  // What the reports ask for is in the funnels.
  loader: ({ params }) => void queryClient.prefetchQuery(funnelsQuery(params)),
  component: lazyRouteComponent(() => import('./FunnelsPage'), 'FunnelsPage'),
});
