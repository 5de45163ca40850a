import { useQuery } from '@tanstack/react-query';
import { LineChart } from '../charts/LineChart';
import type { AlertMetric, AlertRuleInput } from '../graphql/schema.gen';
import type { Place } from '../scope/scope';
import styles from './Alerts.module.css';
import { formatSpan } from './format';
import { type Preview as Found, previewQuery } from './queries';
import { metrics } from './rule';

type Props = {
  place: Place;
  /** Undefined while something is missing. */
  rule: AlertRuleInput | undefined;
  zone: string;
};

const shown = 5;

/** When an alert of a rule would have fired in the last 90 days, and the metric with its bounds. */
export function Preview({ place, rule, zone }: Props) {
  const answer = useQuery(previewQuery(place, rule));
  const found = rule && answer.data?.data.app?.alertPreview;
  return (
    <section className={styles.preview} aria-label="Last 90 days" aria-busy={answer.isFetching}>
      {found ? (
        <Firings found={found} rule={rule} zone={zone} />
      ) : (
        <p className={styles.quiet}>
          {answer.isError
            ? 'The last 90 days could not be read.'
            : rule
              ? 'Reading the last 90 days…'
              : 'Complete the sentence to see when it would have fired.'}
        </p>
      )}
    </section>
  );
}

function Firings({ found, rule, zone }: { found: Found; rule: AlertRuleInput; zone: string }) {
  const { points, firings } = found;
  const metric: AlertMetric = rule.metric ?? 'VISITORS';
  const silent = rule.condition.silent != null;
  const { name, kind } = silent ? { name: 'Events and pageviews', kind: 'count' as const } : metrics[metric];
  // Bounds are drawn where there are any, none of them below the ground.
  const bound = (of: (point: Found['points'][number]) => number | null | undefined) =>
    points.some((point) => of(point) != null)
      ? points.map((point) => ({ bucket: point.start, value: of(point) == null ? null : Math.max(0, of(point)!) }))
      : undefined;
  const low = bound((point) => point.low);
  const high = bound((point) => point.high);
  return (
    <>
      <p className={styles.verdict}>
        {rule.condition.unusual != null && !low && !high
          ? 'Silent until there are 3 weeks of data: then it is known what is usual.'
          : firings.length === 0
            ? 'Would not have fired in the last 90 days.'
            : `Would have fired ${firings.length === 1 ? 'once' : `${firings.length} times`} in the last 90 days.`}
      </p>
      <LineChart
        title={`${name} in the last 90 days`}
        kind={kind}
        grain={rule.grain === 'DAY' ? 'DAY' : 'HOUR'}
        zone={zone}
        height={180}
        annotations={firings.slice(-20).map(({ start }) => ({ at: start, text: 'Fires' }))}
        lines={[
          { name, points: points.map(({ start, value }) => ({ bucket: start, value: value ?? null })) },
          ...(low ? [{ name: 'Lowest expected', points: low, compared: true }] : []),
          ...(high ? [{ name: 'Highest expected', points: high, compared: true }] : []),
        ]}
      />
      {firings.length > 0 && (
        <ul className={styles.firings}>
          {firings
            .slice(-shown)
            .reverse()
            .map(({ start, end }) => (
              <li key={start}>{formatSpan(start, end, zone)}</li>
            ))}
          {firings.length > shown && <li className={styles.quiet}>and {firings.length - shown} before</li>}
        </ul>
      )}
    </>
  );
}
