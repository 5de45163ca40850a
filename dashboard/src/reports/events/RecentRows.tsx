import { useQuery } from '@tanstack/react-query';
import { type Place, type ScopeSearch, zoneOf } from '../../scope/scope';
import { placeOf } from '../../scope/valueName';
import { Failure } from '../../ui/Failure';
import { formatTime } from '../../ui/format';
import { Waiting } from '../../ui/Waiting';
import { recentQuery } from './queries';
import styles from './RecentRows.module.css';

/** The latest rows of an event, as they were sent. */
export function RecentRows({ place, scope, event }: { place: Place; scope: ScopeSearch; event: string }) {
  const answer = useQuery(recentQuery(place, scope, event));
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const rows = answer.data?.data.app?.recentEvents?.nodes;
  if (!rows) return <Waiting rows={8} />;
  return (
    <ul className={styles.rows}>
      {rows.map(({ eventId, occurredAt, appUserId, customUserId, page, country, platform, properties }) => (
        <li key={eventId}>
          <div className={styles.head}>
            <b>{customUserId || appUserId}</b>
            <time dateTime={occurredAt}>
              {formatTime(occurredAt, zoneOf(scope), { dateStyle: 'medium', timeStyle: 'medium' })}
            </time>
          </div>
          <small>{[page, ...placeOf({ country, platform })].filter(Boolean).join(' · ')}</small>
          {properties != null && Object.keys(properties).length > 0 && <pre>{JSON.stringify(properties, null, 2)}</pre>}
        </li>
      ))}
      {rows.length === 0 && <li>No events in this period.</li>}
    </ul>
  );
}
