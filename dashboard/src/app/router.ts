import { createRouter } from '@tanstack/react-router';
import { automationRoute } from '../automations/automation';
import { automationsRoute } from '../automations/automations';
import { brandingRoute } from '../branding/branding';
import { channelsRoute } from '../channels/channels';
import { experimentRoute, experimentsRoute } from '../experiments/experiments';
import { flowRoute } from '../flows/analytics/flow';
import { flowsRoute } from '../flows/list/flows';
import { versionsRoute } from '../flows/versions/versions';
import { mediaRoute } from '../media/media';
import { peopleRoute, personRoute } from '../people/people';
import { playgroundRoute } from '../playground/playground';
import { acquisitionRoute, placesRoute, technologyRoute } from '../reports/breakdown/breakdowns';
import { engagementRoute } from '../reports/engagement/engagement';
import { eventsRoute } from '../reports/events/events';
import { healthRoute } from '../reports/health/health';
import { homeRoute } from '../reports/home/home';
import { liveRoute } from '../reports/live/live';
import { retentionRoute } from '../reports/retention/retention';
import { revenueRoute } from '../reports/revenue/revenue';
import { visitorsRoute } from '../reports/visitors/visitors';
import { settingsRoute } from '../settings/settings';
import { startRoute } from '../start/start';
import { parseSearch, stringifySearch } from './address';
import { Connecting } from './Connecting';
import { appRoute, indexRoute, rootRoute, signInRoute } from './routes';

/** Every page there is. */
const routeTree = rootRoute.addChildren([
  indexRoute,
  signInRoute,
  playgroundRoute,
  appRoute.addChildren([
    homeRoute,
    liveRoute,
    acquisitionRoute,
    engagementRoute,
    eventsRoute,
    retentionRoute,
    placesRoute,
    technologyRoute,
    visitorsRoute,
    peopleRoute,
    personRoute,
    flowsRoute,
    flowRoute,
    versionsRoute,
    channelsRoute,
    experimentsRoute,
    experimentRoute,
    revenueRoute,
    healthRoute,
    mediaRoute,
    brandingRoute,
    automationsRoute,
    automationRoute,
    startRoute,
    settingsRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
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
