import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { brandingQuery } from './queries';

export const brandingRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'branding',
  loader: ({ params }) => void queryClient.prefetchQuery(brandingQuery(params.app)),
  component: lazyRouteComponent(() => import('./BrandingPage'), 'BrandingPage'),
});
