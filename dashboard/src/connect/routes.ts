import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, signedIn } from '../app/routes';
import { connectSearch } from './search';

/** Where the server leads whom a program wants to act for. */
export const connectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connect',
  validateSearch: connectSearch,
  beforeLoad: async ({ location }) => ({ viewer: await signedIn(location.href) }),
  component: lazyRouteComponent(() => import('./ConnectPage'), 'ConnectPage'),
});
