import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type DataOf, graphql } from '../../graphql/graphql';
import type { Platform } from '../../graphql/schema.gen';
import { follow } from '../../graphql/shared';
import { kindOf, type Place, type ScopeSearch } from '../../scope/scope';

const appRoute = getRouteApi('/apps/$app/$environment');

const document = graphql<'LiveNow'>(`
  subscription LiveNow($app: ID!, $environment: EnvironmentKind!, $platform: Platform, $segment: ID) {
    live(appId: $app, environment: $environment, platform: $platform, segmentId: $segment, first: 50) {
      count
      people { nodes { appUserId page country city platform device lastSeenAt } totalCount }
      places { country city latitude longitude visitors }
      minutes { minute visitors events }
      pages { page visitors }
    }
  }`);

export type Live = DataOf<'LiveNow'>['live'];

/** Who is online, as the server tells; nothing is asked while the tab is hidden. `lost` while the stream is down: what
 * was said last stays. */
export function useLive(place: Place, { platform, segment }: ScopeSearch): { live?: Live; lost: boolean } {
  const { viewer } = appRoute.useRouteContext();
  const [live, setLive] = useState<Live>();
  const [lost, setLost] = useState(false);
  useEffect(() => {
    const variables = {
      app: place.app,
      environment: kindOf(place.environment),
      platform: (platform?.toUpperCase() as Platform | undefined) ?? null,
      segment: segment ?? null,
    };
    let stop = () => {};
    // A tab that nobody sees asks for nothing.
    const show = () => {
      stop();
      stop = () => {};
      if (window.document.visibilityState !== 'visible') return;
      stop = follow(document, variables, viewer.userId, {
        next: ({ live }) => {
          setLive(live);
          setLost(false);
        },
        lost: () => setLost(true),
      });
    };
    show();
    window.document.addEventListener('visibilitychange', show);
    return () => {
      window.document.removeEventListener('visibilitychange', show);
      stop();
    };
  }, [place.app, place.environment, platform, segment, viewer.userId]);
  return { live, lost };
}
