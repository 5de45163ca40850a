import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, signedIn } from '../app/routes';

/** How who is signed in signs in. */
export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  beforeLoad: async ({ location }) => ({ viewer: await signedIn(location.href) }),
  component: lazyRouteComponent(() => import('./AccountPage'), 'AccountPage'),
});
