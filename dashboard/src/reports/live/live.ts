import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { appRoute } from '../../app/routes';
import { type DataOf, graphql } from '../../graphql/graphql';
import type { Platform } from '../../graphql/schema.gen';
import { stream } from '../../graphql/send';
import { kindOf, type Place, type ScopeSearch } from '../../scope/scope';

const document = graphql<'LiveNow'>(`
  subscription LiveNow($app: ID!, $environment: EnvironmentKind!, $platform: Platform, $segment: ID) {
    live(appId: $app, environment: $environment, platform: $platform, segmentId: $segment, first: 50) {
      count
      people { nodes { appUserId page country city platform device lastSeenAt } totalCount }
      places { country region city latitude longitude visitors }
      minutes { minute visitors hits }
      pages { page visitors }
    }
  }`);

export type Live = DataOf<'LiveNow'>['live'];

/** Who is online, as the server tells; nothing is asked while the tab is hidden. `lost` while the stream is down: what
 * was said last stays. */
export function useLive(place: Place, { platform, segment }: ScopeSearch): { live?: Live; lost: boolean } {
  const [live, setLive] = useState<Live>();
  const [lost, setLost] = useState(false);
  useEffect(() => {
    let current = new AbortController();
    const listen = async () => {
      const { signal } = current;
      while (!signal.aborted) {
        try {
          const variables = {
            app: place.app,
            environment: kindOf(place.environment),
            platform: (platform?.toUpperCase() as Platform | undefined) ?? null,
            segment: segment ?? null,
          };
          for await (const { live } of stream(document, variables, signal)) {
            setLive(live);
            setLost(false);
          }
        } catch {
          if (!signal.aborted) setLost(true);
        }
        await new Promise((later) => setTimeout(later, 2_000));
      }
    };
    // A browser has six connections to a server: a tab that nobody sees keeps none.
    const show = () => {
      current.abort();
      current = new AbortController();
      if (window.document.visibilityState === 'visible') void listen();
    };
    show();
    window.document.addEventListener('visibilitychange', show);
    return () => {
      window.document.removeEventListener('visibilitychange', show);
      current.abort();
    };
  }, [place.app, place.environment, platform, segment]);
  return { live, lost };
}

export const liveRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'live',
  component: lazyRouteComponent(() => import('./LivePage'), 'LivePage'),
});
