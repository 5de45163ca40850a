import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as v from 'valibot';
import { isSignedOut } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { scopeSchema } from '../scope/scope';
import { shareToken } from '../share/link';
import { Broken, Missing } from './Broken';
import { Root } from './Root';
import { type AppAccess, findApp, firstApp, sessionQuery, type Viewer } from './session/session';
import { lastApp } from './session/storage';

export const rootRoute = createRootRoute({
  component: Root,
  errorComponent: Broken,
  notFoundComponent: Missing,
  // Readers have no page outside of an app: above all no sign-in, which other sites could frame.
  beforeLoad: ({ location: { pathname } }) => {
    if (shareToken && pathname !== '/' && !pathname.startsWith('/apps/')) throw redirect({ to: '/', replace: true });
  },
});

/** Who is signed in; sends everybody else to the sign-in, and back here after it. */
export async function signedIn(href: string): Promise<Viewer> {
  if (shareToken) throw redirect({ to: '/' });
  const { data } = await queryClient.ensureQueryData(sessionQuery);
  if (!data.viewer) throw redirect({ to: '/sign-in', search: { to: href } });
  return data.viewer;
}

export const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    if (shareToken) return (await import('../share/reader')).enterLink();
    const viewer = await signedIn('/');
    const found = firstApp(viewer, lastApp.read());
    // The account's page says what the workspace asks for.
    if (!found && viewer.closedWorkspaces.length > 0) throw redirect({ to: '/account' });
    if (found)
      throw redirect({ to: '/apps/$app/$environment/home', params: { app: found.app.id, environment: 'live' } });
  },
  component: lazyRouteComponent(
    async () => ({
      Page: shareToken ? (await import('../share/DoorPage')).DoorPage : (await import('./NoApp')).NoApp,
    }),
    'Page',
  ),
});

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  // Only a path of this server is followed after the sign-in.
  validateSearch: v.object({
    to: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.regex(/^\/(?![/\\])/))), undefined)),
    /** Why the OpenID provider signed nobody in. */
    problem: v.optional(
      v.fallback(v.optional(v.picklist(['refused', 'stranger', 'link', 'often', 'failed'])), undefined),
    ),
  }),
  component: lazyRouteComponent(() => import('./session/SignInPage'), 'SignInPage'),
});

export const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./session/ForgotPasswordPage'), 'ForgotPasswordPage'),
});

export const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  validateSearch: v.object({ token: v.optional(v.fallback(v.string(), ''), '') }),
  component: lazyRouteComponent(() => import('./session/ResetPasswordPage'), 'ResetPasswordPage'),
});

/** Lets those in who may enter the app of an address, with what pages of an app know. */
export async function enterApp(
  params: { app: string; environment: string },
  href: string,
): Promise<{ viewer: Viewer } & AppAccess> {
  const viewer = await signedIn(href);
  const found = findApp(viewer, params.app);
  if (!found) throw redirect({ to: '/' });
  if (params.environment !== 'live' && params.environment !== 'test') throw redirect({ to: '/' });
  lastApp.write(params.app);
  return { viewer, ...found };
}

/** An app's test or live half. What its reports share of an address, the scope, is read here. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$app/$environment',
  validateSearch: scopeSchema,
  beforeLoad: async ({ params, location, search }) =>
    shareToken
      ? (await import('../share/reader')).enterReport({ params, pathname: location.pathname, search })
      : enterApp(params, location.href),
  component: lazyRouteComponent(
    async () => ({
      Page: shareToken ? (await import('../share/ReaderShell')).ReaderShell : (await import('./shell/Shell')).Shell,
    }),
    'Page',
  ),
  onError: (error) => {
    if (isSignedOut(error)) queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
  },
});

/** An address that was cut off after its app or environment leads to the app's home. */
export const appsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$app',
  beforeLoad: ({ params: { app } }) => {
    throw redirect({ to: '/apps/$app/$environment/home', params: { app, environment: 'live' }, replace: true });
  },
});

export const appIndexRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/apps/$app/$environment/home', params, replace: true });
  },
});
