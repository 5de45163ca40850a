import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { automationQuery, automationsQuery } from './queries';
import { automationSearch, automationsSearch } from './search';

export const automationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'automations/$automation',
  validateSearch: automationSearch,
  loader: ({ params }) => void queryClient.prefetchQuery(automationQuery(params)),
  component: lazyRouteComponent(() => import('./AutomationPage'), 'AutomationPage'),
});

export const automationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'automations',
  validateSearch: automationsSearch,
  loaderDeps: ({ search }) => ({ after: search.after }),
  loader: ({ params, deps }) => void queryClient.prefetchQuery(automationsQuery(params, deps.after)),
  component: lazyRouteComponent(() => import('./AutomationsPage'), 'AutomationsPage'),
});
