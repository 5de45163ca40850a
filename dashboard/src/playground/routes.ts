import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, signedIn } from '../app/routes';
import { firstApp } from '../app/session/session';
import { lastApp } from '../app/session/storage';

/** The page on which GraphQL is written by hand. Its query stands behind the `#` of the address. */
export const playgroundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/playground',
  beforeLoad: async ({ location }) => {
    const viewer = await signedIn(location.href);
    return { viewer, found: firstApp(viewer, lastApp.read()) };
  },
  component: lazyRouteComponent(() => import('./PlaygroundPage'), 'PlaygroundPage'),
});
