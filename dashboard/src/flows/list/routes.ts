import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { flowsQuery, startQuery } from './queries';
import { flowsSearch, startSearch } from './search';

export const flowsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows',
  validateSearch: flowsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(flowsQuery(params, deps)),
  component: lazyRouteComponent(() => import('./FlowsPage'), 'FlowsPage'),
});

/** Where a flow without screens gets its content. */
export const startFlowRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows/$flow/start',
  validateSearch: startSearch,
  loader: ({ params }) => void queryClient.prefetchQuery(startQuery(params.flow)),
  component: lazyRouteComponent(() => import('./StartFlowPage'), 'StartFlowPage'),
});
