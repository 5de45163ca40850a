import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { flowsQuery } from './queries';
import { flowsSearch } from './search';

export const flowsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows',
  validateSearch: flowsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(flowsQuery(params, deps)),
  component: lazyRouteComponent(() => import('./FlowsPage'), 'FlowsPage'),
});
