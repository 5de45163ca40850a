import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { startQuery } from './queries';

export const startRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'start',
  loader: ({ params }) => void queryClient.prefetchQuery(startQuery(params)),
  component: lazyRouteComponent(() => import('./StartPage'), 'StartPage'),
});
