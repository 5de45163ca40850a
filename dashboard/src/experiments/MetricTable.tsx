import { dash, formatAligned, formatExact, formatShort } from '../ui/format';
import { formatDifference, groupsOf, kindOf, missingUsers, nameOfMetric, sideOf } from './metrics';
import type { Metric } from './queries';
import styles from './Results.module.css';

type Props = { metrics: readonly Metric[]; planned: number; nameOf: (variant: string) => string };

/** The metrics that do not decide, in one table: a row for each variant beside the control. */
export function MetricTable({ metrics, planned, nameOf }: Props) {
  const several = metrics.some(({ variants }) => variants.length > 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it
    <section className={styles.scroll} tabIndex={0} aria-label="Other metrics">
      <table className={styles.metrics}>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {several && <th scope="col">Variant</th>}
            <th scope="col">Users</th>
            <th scope="col">Control</th>
            <th scope="col">{several ? 'Value' : nameOf(metrics[0]?.variants[1]?.variant ?? '')}</th>
            <th scope="col">Difference</th>
            <th scope="col">Chance to win</th>
          </tr>
        </thead>
        {groupsOf(metrics).map(({ role, name, metrics }) => (
          <tbody key={role}>
            <tr className={styles.group}>
              <th scope="rowgroup" colSpan={several ? 7 : 6}>
                {name}
              </th>
            </tr>
            {metrics.flatMap((metric) =>
              metric.variants.slice(1).map(({ variant }, i) => (
                <tr key={`${metric.goal?.id ?? metric.metric} ${variant}`}>
                  <th scope="row">
                    {i === 0 ? nameOfMetric(metric) : <span className="reader">{nameOfMetric(metric)}</span>}
                  </th>
                  {several && <td>{nameOf(variant)}</td>}
                  <Values metric={metric} variant={variant} planned={planned} />
                </tr>
              )),
            )}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Values({ metric, variant, planned }: { metric: Metric; variant: string; planned: number }) {
  const missing = missingUsers(metric, variant, planned);
  if (missing) {
    return (
      <td colSpan={5} className={styles.muted}>
        Too few users to say: {formatExact(missing.has, 'count')} of {formatExact(missing.needs, 'count')}
      </td>
    );
  }
  const treatment = metric.variants.find((one) => one.variant === variant)!;
  const comparison = metric.comparisons.find((one) => one.variant === variant);
  const kind = kindOf(metric);
  return (
    <>
      <td title={treatment.maturing > 0 ? `${formatExact(treatment.maturing, 'count')} not yet mature` : undefined}>
        {formatShort(treatment.people, 'count')}
      </td>
      <td>{formatAligned(metric.variants[0]!.value, kind)}</td>
      <td>{formatAligned(treatment.value, kind)}</td>
      <td>
        {comparison ? (
          <Against metric={metric} comparison={comparison} />
        ) : (
          <span className={styles.muted}>{dash}</span>
        )}
      </td>
      <td>{formatShort(comparison?.chanceToWin, 'share')}</td>
    </>
  );
}

function Against({ metric: { unit }, comparison }: { metric: Metric; comparison: Metric['comparisons'][number] }) {
  const { interval, difference, sentence } = comparison;
  return (
    <span className={styles.against} title={sentence}>
      {interval && <Spark interval={interval} difference={difference} side={sideOf(comparison)} />}
      {formatDifference(difference, unit)}
    </span>
  );
}

type SparkProps = { interval: { low: number; high: number }; difference: number; side: string };

/** The interval of a difference around zero, on a scale of its own. */
function Spark({ interval: { low, high }, difference, side }: SparkProps) {
  const reach = Math.max(1e-12, Math.abs(low), Math.abs(high));
  const x = (value: number) => 60 + (value / reach) * 56;
  return (
    <svg width="120" height="16" aria-hidden="true" className={styles.spark} data-side={side}>
      <line x1="60" x2="60" y1="0" y2="16" />
      <line x1={x(low)} x2={x(high)} y1="8" y2="8" data-span />
      <circle cx={x(difference)} cy="8" r="3.5" />
    </svg>
  );
}
