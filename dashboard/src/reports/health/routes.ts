import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { healthQuery } from './queries';

export const healthRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'health',
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(healthQuery(params, deps)),
  component: lazyRouteComponent(() => import('./HealthPage'), 'HealthPage'),
});
