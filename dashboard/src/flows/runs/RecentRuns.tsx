import { useQuery } from '@tanstack/react-query';
import type { Place, ScopeSearch } from '../../scope/scope';
import { placeOf } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { countOf, formatAgo } from '../../ui/format';
import { nameOfId } from '../../ui/handle';
import { recentRunsQuery } from './queries';
import { states } from './RunDrawer';
import styles from './Runs.module.css';

type Props = { place: Place; flow: string; scope: ScopeSearch; open: (id: string) => void };

/** The newest runs of the scope; a click plays one. */
export function RecentRuns({ place, flow, scope, open }: Props) {
  const answer = useQuery(recentRunsQuery(place, scope, flow));
  return (
    <Card
      title="Recent runs"
      answer={answer}
      part={({ flowAnalytics }) => flowAnalytics?.recent}
      path="flowAnalytics.recent"
      waiting={{ rows: 8 }}
    >
      {({ nodes }) => (
        <ul className={styles.runs}>
          {nodes.map((run) => (
            <li key={run.id}>
              <button type="button" onClick={() => open(run.id)}>
                <b title={run.appUserId}>{nameOfId(run.customUserId || run.appUserId)}</b>
                <span data-state={run.state}>{states[run.state]}</span>
                <small>
                  {formatAgo(run.startedAt)} · {countOf(run.path.length, 'screen')}
                  {[...placeOf({ country: run.country, platform: run.platform }), run.locale]
                    .filter(Boolean)
                    .map((text) => ` · ${text}`)}
                </small>
              </button>
            </li>
          ))}
          {nodes.length === 0 && <li>No runs in this period.</li>}
        </ul>
      )}
    </Card>
  );
}
