import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { automationQuery, automationsQuery, suppressionsQuery } from './queries';
import { automationSearch, automationsSearch, suppressedSearch } from './search';

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

export const suppressedRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'automations/suppressed',
  validateSearch: suppressedSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(suppressionsQuery(params, deps)),
  component: lazyRouteComponent(() => import('./SuppressedPage'), 'SuppressedPage'),
});
