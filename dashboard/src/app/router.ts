import { createRouter } from '@tanstack/react-router';
import { accountRoute } from '../account/routes';
import { alertsRoute } from '../alerts/routes';
import { automationRoute, automationsRoute, suppressedRoute } from '../automations/routes';
import { brandingRoute } from '../branding/routes';
import { channelsRoute } from '../channels/routes';
import { connectRoute } from '../connect/routes';
import { editRoute, previewRoute } from '../editor/page/routes';
import { experimentRoute, experimentsRoute } from '../experiments/routes';
import { flowRoute } from '../flows/analytics/routes';
import { flowsRoute, startFlowRoute } from '../flows/list/routes';
import { versionsRoute } from '../flows/versions/routes';
import { mediaRoute } from '../media/routes';
import { peopleRoute, personRoute } from '../people/routes';
import { playgroundRoute } from '../playground/routes';
import {
  acquisitionRoute,
  devicesRoute,
  locationsRoute,
  placesRoute,
  technologyRoute,
} from '../reports/breakdown/routes';
import { engagementRoute } from '../reports/engagement/routes';
import { eventsRoute } from '../reports/events/routes';
import { funnelsRoute } from '../reports/funnels/routes';
import { goalsRoute } from '../reports/goals/routes';
import { healthRoute } from '../reports/health/routes';
import { homeRoute } from '../reports/home/routes';
import { liveRoute } from '../reports/live/routes';
import { pathsRoute } from '../reports/paths/routes';
import { retentionRoute } from '../reports/retention/routes';
import { revenueRoute } from '../reports/revenue/routes';
import { visitorsRoute } from '../reports/visitors/routes';
import { settingsRoute } from '../settings/routes';
import { basePath } from '../share/link';
import { startRoute } from '../start/routes';
import { parseSearch, stringifySearch } from './address';
import { Connecting } from './Connecting';
import {
  appIndexRoute,
  appRoute,
  appsRoute,
  forgotPasswordRoute,
  indexRoute,
  resetPasswordRoute,
  rootRoute,
  signInRoute,
} from './routes';

/** Every page there is. */
const routeTree = rootRoute.addChildren([
  indexRoute,
  signInRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  accountRoute,
  connectRoute,
  playgroundRoute,
  editRoute,
  previewRoute,
  appsRoute,
  appRoute.addChildren([
    appIndexRoute,
    homeRoute,
    liveRoute,
    acquisitionRoute,
    engagementRoute,
    eventsRoute,
    goalsRoute,
    alertsRoute,
    funnelsRoute,
    pathsRoute,
    retentionRoute,
    locationsRoute,
    devicesRoute,
    placesRoute,
    technologyRoute,
    visitorsRoute,
    peopleRoute,
    personRoute,
    flowsRoute,
    flowRoute,
    versionsRoute,
    startFlowRoute,
    channelsRoute,
    experimentsRoute,
    experimentRoute,
    revenueRoute,
    healthRoute,
    mediaRoute,
    brandingRoute,
    automationsRoute,
    automationRoute,
    suppressedRoute,
    startRoute,
    settingsRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: basePath,
  parseSearch,
  stringifySearch,
  defaultPendingComponent: Connecting,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // the query client keeps what was fetched
  scrollRestoration: true,
  defaultStructuralSharing: true, // what an address leaves as it was is drawn once
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
