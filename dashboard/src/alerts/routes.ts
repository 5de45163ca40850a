import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { alertsQuery } from './queries';
import { alertsSearch } from './search';

export const alertsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'alerts',
  validateSearch: alertsSearch,
  loader: ({ params }) => void queryClient.prefetchQuery(alertsQuery(params)),
  component: lazyRouteComponent(() => import('./AlertsPage'), 'AlertsPage'),
});
