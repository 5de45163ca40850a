import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { experimentsQuery } from './queries';

export const experimentsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'experiments',
  loader: ({ params }) => void queryClient.prefetchQuery(experimentsQuery(params)),
  component: lazyRouteComponent(() => import('./ExperimentsPage'), 'ExperimentsPage'),
});

export const experimentRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'experiments/$experiment',
  component: lazyRouteComponent(() => import('./ExperimentPage'), 'ExperimentPage'),
});
