import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { mediaSearch } from './search';

export const mediaRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'media',
  validateSearch: mediaSearch,
  component: lazyRouteComponent(() => import('./MediaPage'), 'MediaPage'),
});
