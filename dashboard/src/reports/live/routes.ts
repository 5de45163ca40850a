import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/routes';

export const liveRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'live',
  component: lazyRouteComponent(() => import('./LivePage'), 'LivePage'),
});
