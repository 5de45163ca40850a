import { useQuery } from '@tanstack/react-query';
import { type Place, type ScopeSearch, zoneOf } from '../../scope/scope';
import { placeOf } from '../../scope/valueName';
import { Failure } from '../../ui/Failure';
import { countOf, formatSeconds, formatTime } from '../../ui/format';
import { Waiting } from '../../ui/Waiting';
import { timelineQuery } from './queries';
import styles from './Timeline.module.css';

const states = {
  COMPLETED: 'completed',
  ABANDONED: 'abandoned',
  LAPSED: 'ended without an exit event',
  OPEN: 'open',
} as const;

/** What a person did, the latest first. */
export function Timeline({ place, scope, user }: { place: Place; scope: ScopeSearch; user: string }) {
  const answer = useQuery(timelineQuery(place, scope, user));
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const page = answer.data?.data.app?.productAnalytics?.timeline;
  if (!page) return <Waiting rows={8} />;
  if (page.nodes.length === 0) return <p>No data in this period.</p>;
  return (
    <ol className={styles.timeline}>
      {page.nodes.map(({ startedAt, session, run }) => (
        <li key={`${startedAt} ${run?.flowId ?? ''}`} data-run={run ? true : undefined}>
          <time dateTime={startedAt}>
            {formatTime(startedAt, zoneOf(scope), { dateStyle: 'medium', timeStyle: 'short' })}
          </time>
          {session && (
            <>
              <b>
                Session of {formatSeconds(session.seconds)}: {countOf(session.views, 'view')},{' '}
                {countOf(session.events, 'event')}
              </b>
              <span>
                <bdi dir="ltr">
                  {session.entry || '(no page)'} → {session.exit || '(no page)'}
                </bdi>
              </span>
              <small>{[...placeOf(session), session.browser, session.channel].filter(Boolean).join(' · ')}</small>
            </>
          )}
          {run && (
            <b>
              Run of a flow, {states[run.state]} after {formatSeconds(run.seconds)}
              {run.variant && `, variant ${run.variant}`}
            </b>
          )}
        </li>
      ))}
    </ol>
  );
}
