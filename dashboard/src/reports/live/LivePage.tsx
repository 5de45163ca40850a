import { Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import { NoEvents, useAnybody } from '../../scope/Nobody';
import { PlatformSelect } from '../../scope/PlatformSelect';
import type { Place } from '../../scope/scope';
import { useView } from '../../scope/useView';
import { placeOf } from '../../scope/valueName';
import { countryName, formatAgo } from '../../ui/format';
import { RankedTable } from '../../ui/RankedTable';
import styles from './LivePage.module.css';
import { MinuteBars } from './MinuteBars';
import { useLive } from './queries';

const WorldMap = lazy(async () => ({ default: (await import('../../charts/WorldMap')).WorldMap }));

/** Who is online, where, and on what. */
export function LivePage() {
  const { place, search } = useView();
  const { live, lost } = useLive(place, search);
  const silent = live?.count === 0 && !search.platform && live.minutes.every(({ events }) => events === 0);
  return (
    <>
      <div className={styles.head}>
        <h1>Live</h1>
        <span className={styles.count} aria-live="polite">
          {live ? `${live.count} ${live.count === 1 ? 'visitor' : 'visitors'} online now` : 'Loading…'}
          {lost && ' · the connection is lost, trying again'}
        </span>
        <PlatformSelect />
      </div>
      <Reports silent={silent} place={place}>
        <section className={styles.map} aria-label="Locations">
          <Suspense fallback={<Skeleton height={460} />}>
            <WorldMap
              points={(live?.places ?? []).flatMap(({ latitude, longitude, city, country, visitors }) =>
                latitude === null || longitude === null
                  ? []
                  : [
                      {
                        latitude,
                        longitude,
                        value: visitors,
                        name: [city, countryName(country)].filter(Boolean).join(', '),
                      },
                    ],
              )}
            />
          </Suspense>
        </section>
        <div className={styles.lists}>
          <section className={styles.card}>
            <h2>Last 30 minutes</h2>
            {live ? <MinuteBars minutes={live.minutes} /> : <Skeleton height={120} />}
            <h2>Pages</h2>
            {live?.pages.length === 0 && <p className={styles.none}>No pages open now.</p>}
            {live && live.pages.length > 0 && (
              <RankedTable
                name="Page"
                rows={live.pages.slice(0, 10)}
                columns={[{ id: 'people', name: 'Visitors', kind: 'count', value: ({ visitors }) => visitors }]}
                keyOf={({ page }) => page}
                label={({ page }) => page || '(none)'}
              />
            )}
          </section>
          <section className={styles.card}>
            <h2>Visitors</h2>
            {live?.count === 0 && (
              <p className={styles.none}>No visitors online. New visitors appear here within two seconds.</p>
            )}
            {live ? (
              live.count > 0 && (
                <ul className={styles.people}>
                  {live.people.nodes.map(({ appUserId, page, country, city, platform, device, lastSeenAt }) => (
                    <li key={appUserId}>
                      <div>
                        <b>{page || '(no page)'}</b>
                        <small>{placeOf({ city, country, platform, device }).join(' · ')}</small>
                      </div>
                      <time dateTime={lastSeenAt}>{formatAgo(lastSeenAt)}</time>
                    </li>
                  ))}
                </ul>
              )
            ) : (
              <Skeleton height={300} />
            )}
          </section>
        </div>
      </Reports>
    </>
  );
}

/** What there is to see; of an app from which nothing ever came, how something does. */
function Reports({ silent, ...of }: { silent: boolean; place: Place; children: ReactNode }) {
  return silent ? <UnlessNever {...of} /> : of.children;
}

function UnlessNever({ place, children }: { place: Place; children: ReactNode }) {
  return useAnybody(place) === false ? <NoEvents place={place} /> : children;
}
