import { Change, Figure } from '../../ui/Figure';
import type { FigureKind } from '../../ui/format';
import styles from './HomePage.module.css';
import type { Metric } from './queries';

/** What each metric is called and how its figures read. */
export const metricNames: Record<Metric, { name: string; kind: FigureKind; fewer?: boolean }> = {
  visitors: { name: 'Visitors', kind: 'count' },
  sessions: { name: 'Sessions', kind: 'count' },
  views: { name: 'Views', kind: 'count' },
  events: { name: 'Events', kind: 'count' },
  newVisitors: { name: 'New visitors', kind: 'count' },
  bounceRate: { name: 'Bounce rate', kind: 'share', fewer: true },
  averageSessionSeconds: { name: 'Session length', kind: 'seconds' },
  viewsPerSession: { name: 'Views per session', kind: 'number' },
  revenue: { name: 'Revenue', kind: 'money' },
};

type Figures = Record<Metric, number | null>;
type Props = { now: Figures; before: Figures | null | undefined; metric: Metric; choose: (metric: Metric) => void };

/** The figures of the range; a click draws one over time. */
export function Metrics({ now, before, metric, choose }: Props) {
  return (
    <div className={styles.metrics}>
      {(Object.keys(metricNames) as Metric[]).map((id) => {
        const { name, kind, fewer } = metricNames[id];
        return (
          <button
            key={id}
            type="button"
            className={styles.metric}
            aria-pressed={id === metric}
            onClick={() => choose(id)}
          >
            <small>{name}</small>
            <b>
              <Figure value={now[id]} kind={kind} />
            </b>
            {before ? <Change now={now[id]} before={before[id]} kind={kind} fewer={fewer} /> : <span>&nbsp;</span>}
          </button>
        );
      })}
    </div>
  );
}
