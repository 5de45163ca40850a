import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { rootRoute, signedIn } from '../app/routes';

/** Where the server leads whom a program wants to act for. */
export const connectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connect',
  validateSearch: v.object({
    request: v.optional(v.fallback(v.string(), ''), ''),
    /** Why the server did not take what the program asked for. */
    problem: v.optional(v.fallback(v.optional(v.picklist(['client', 'address'])), undefined)),
  }),
  beforeLoad: async ({ location }) => ({ viewer: await signedIn(location.href) }),
  component: lazyRouteComponent(() => import('./ConnectPage'), 'ConnectPage'),
});
