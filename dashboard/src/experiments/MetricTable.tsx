import type { ExperimentMetricKind, ExperimentUnit } from '../graphql/schema.gen';
import { dash, type FigureKind, formatExact, formatShort } from '../ui/format';
import styles from './Experiments.module.css';
import type { Metric } from './queries';

const names: Record<ExperimentMetricKind, string> = {
  COMPLETION: 'Completed',
  CONVERSION: 'Purchase or trial',
  REVENUE: 'Revenue per user',
  REVENUE_WINSORIZED: 'Revenue per user, without outliers',
  TRIAL_CONVERSION: 'Trial conversion',
  REFUND_RATE: 'Refunded',
  TIME_TO_COMPLETE: 'Median time to complete',
};
const kinds: Record<ExperimentUnit, FigureKind> = { SHARE: 'share', USD: 'money', SECONDS: 'seconds' };

/** The variants of one metric, and how far each is from the control, the first. */
export function MetricTable({ metric, nameOf }: { metric: Metric; nameOf: (variant: string) => string }) {
  const kind = kinds[metric.unit];
  const reach = Math.max(
    1e-12,
    ...metric.comparisons.flatMap(({ interval }) =>
      interval ? [Math.abs(interval.low), Math.abs(interval.high)] : [],
    ),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it
    <section className={styles.scroll} tabIndex={0} aria-label={names[metric.metric]}>
      <table className={styles.metric}>
        <caption>{names[metric.metric]}</caption>
        <thead>
          <tr>
            <th scope="col">Variant</th>
            <th scope="col">Users</th>
            <th scope="col">Value</th>
            <th scope="col">Difference from control</th>
            <th scope="col">Chance to win</th>
          </tr>
        </thead>
        <tbody>
          {metric.variants.map(({ variant, people, maturing, value }, position) => {
            const comparison = metric.comparisons.find((comparison) => comparison.variant === variant);
            return (
              <tr key={variant}>
                <th scope="row">{nameOf(variant)}</th>
                <td title={maturing > 0 ? `${formatExact(maturing, 'count')} not yet mature` : undefined}>
                  {formatShort(people, 'count')}
                </td>
                <td>{formatShort(value, kind)}</td>
                <td>
                  {comparison ? (
                    <span className={styles.against} title={comparison.sentence}>
                      <Interval interval={comparison.interval} difference={comparison.difference} reach={reach} />
                      {comparison.lift === null
                        ? dash
                        : `${comparison.lift > 0 ? '+' : ''}${formatShort(comparison.lift, 'share')}`}
                    </span>
                  ) : (
                    <span className={styles.muted}>{position === 0 ? 'control' : dash}</span>
                  )}
                </td>
                <td>{comparison ? formatShort(comparison.chanceToWin, 'share') : ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

type IntervalProps = { interval: { low: number; high: number } | null; difference: number; reach: number };

/** The interval of a difference around zero, on one scale for all variants. */
function Interval({ interval, difference, reach }: IntervalProps) {
  if (!interval) return null;
  const x = (value: number) => 60 + (value / reach) * 56;
  const side = interval.low > 0 ? 'above' : interval.high < 0 ? 'below' : 'across';
  return (
    <svg width="120" height="16" aria-hidden="true" className={styles.interval} data-side={side}>
      <line x1="60" x2="60" y1="0" y2="16" className={styles.zero} />
      <line x1={x(interval.low)} x2={x(interval.high)} y1="8" y2="8" className={styles.span} />
      <circle cx={x(difference)} cy="8" r="3.5" />
    </svg>
  );
}
