import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { flowQuery } from './queries';
import { flowSearch } from './search';

export const flowRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows/$flow',
  validateSearch: flowSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(flowQuery(params, deps)),
  component: lazyRouteComponent(() => import('./FlowPage'), 'FlowPage'),
});
