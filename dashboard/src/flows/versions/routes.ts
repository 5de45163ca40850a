import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';
import { queryClient } from '../../graphql/query';
import { versionsQuery } from './queries';
import { versionsSearch } from './search';

export const versionsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows/$flow/versions',
  validateSearch: versionsSearch,
  loader: ({ params }) => void queryClient.prefetchQuery(versionsQuery(params)),
  component: lazyRouteComponent(() => import('./VersionsPage'), 'VersionsPage'),
});
