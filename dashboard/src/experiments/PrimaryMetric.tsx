import { Select } from '@mantine/core';
import { useState } from 'react';
import { formatAligned, formatExact, formatShort } from '../ui/format';
import { DifferenceChart } from './DifferenceChart';
import { formatDifference, formatTickOf, kindOf, missingUsers, sideOf, ticksAround } from './metrics';
import type { Metric } from './queries';
import styles from './Results.module.css';

type Props = {
  metric: Metric;
  planned: number;
  zone: string;
  /** The variant that the verdict is of. */
  leader: string | null;
  nameOf: (variant: string) => string;
};

const bounds: Record<Metric['phase'], string> = {
  RUNNING: 'Bars are sequential intervals: they hold however often you look.',
  EXTENDED: 'Bars are sequential intervals: they hold however often you look.',
  ENDED: 'Bars are fixed intervals of the users exposed before the planned end.',
};

/** The metric that decides: each variant against the control on one axis, and how the difference came about. */
export function PrimaryMetric({ metric, planned, zone, leader, nameOf }: Props) {
  const treatments = metric.variants.slice(1).map(({ variant }) => variant);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = chosen ?? leader ?? treatments[0]!;
  const missing = missingUsers(metric, shown, planned);
  return (
    <>
      <Intervals metric={metric} planned={planned} nameOf={nameOf} />
      <p className={styles.beside}>{bounds[metric.phase]}</p>
      <div className={styles.over}>
        <h3>Difference over time</h3>
        {treatments.length > 1 && (
          <Select
            size="xs"
            aria-label="Variant of the chart"
            allowDeselect={false}
            value={shown}
            onChange={setChosen}
            data={treatments.map((variant) => ({ value: variant, label: nameOf(variant) }))}
          />
        )}
      </div>
      {missing ? (
        <p className={styles.beside}>
          It is drawn once the control and {nameOf(shown)} have {formatExact(missing.needs, 'count')} users each.
        </p>
      ) : (
        <DifferenceChart metric={metric} variant={shown} name={nameOf(shown)} planned={planned} zone={zone} />
      )}
    </>
  );
}

function Intervals({ metric, planned, nameOf }: Pick<Props, 'metric' | 'planned' | 'nameOf'>) {
  const known = metric.comparisons.filter(({ variant }) => !missingUsers(metric, variant, planned));
  const ticks = ticksAround(
    Math.max(
      1e-9,
      ...known.flatMap(({ interval }) => (interval ? [Math.abs(interval.low), Math.abs(interval.high)] : [])),
    ),
  );
  const reach = ticks.at(-1)!;
  const at = (value: number) => `${50 + (value / reach) * 50}%`;
  return (
    <div className={styles.intervals} data-known={known.length > 0 || undefined}>
      {metric.variants.map(({ variant, people, value }, position) => {
        const comparison = known.find((one) => one.variant === variant);
        const missing = position > 0 ? missingUsers(metric, variant, planned) : undefined;
        return (
          <section key={variant} className={styles.arm} aria-label={nameOf(variant)}>
            <div className={styles.who}>
              <b>{nameOf(variant)}</b>
              <small>{formatExact(people, 'count')} users</small>
            </div>
            <span className={styles.value}>
              {missing || known.length === 0 ? '' : formatAligned(value, kindOf(metric))}
            </span>
            {missing && <TooFew {...missing} />}
            {!missing && known.length > 0 && (
              <div className={styles.track} aria-hidden="true">
                <i className={styles.zero} />
                {position === 0 && <i className={styles.point} data-control style={{ insetInlineStart: '50%' }} />}
                {comparison && <Bar comparison={comparison} at={at} />}
              </div>
            )}
            <div className={styles.change}>
              {position === 0 && known.length > 0 && <small>Control</small>}
              {comparison && <Change metric={metric} comparison={comparison} />}
            </div>
          </section>
        );
      })}
      {known.length > 0 && (
        <div className={styles.axis} aria-hidden="true">
          {ticks.map((tick, i) => (
            <span
              key={tick}
              style={{ insetInlineStart: at(tick) }}
              data-between={(tick !== 0 && i > 0 && i < ticks.length - 1) || undefined}
            >
              {formatTickOf(tick, metric.unit)}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

type Comparison = Metric['comparisons'][number];

function Bar({ comparison, at }: { comparison: Comparison; at: (value: number) => string }) {
  const { interval, difference } = comparison;
  if (!interval) return null;
  const side = sideOf(comparison);
  return (
    <>
      <i
        className={styles.span}
        data-side={side}
        style={{ insetInlineStart: at(interval.low), insetInlineEnd: `calc(100% - ${at(interval.high)})` }}
      />
      <i className={styles.point} data-side={side} style={{ insetInlineStart: at(difference) }} />
    </>
  );
}

function Change({ metric: { unit }, comparison }: { metric: Metric; comparison: Comparison }) {
  const { difference, interval, lift, chanceToWin } = comparison;
  return (
    <>
      <b data-side={sideOf(comparison)}>{formatDifference(difference, unit)}</b>
      <small>
        {interval && `${formatDifference(interval.low, unit)} to ${formatDifference(interval.high, unit)}`}
        {lift !== null && ` · ${lift > 0 ? '+' : ''}${formatShort(lift, 'share')} relative`}
        {chanceToWin !== null && ` · ${formatShort(chanceToWin, 'share')} chance to win`}
      </small>
    </>
  );
}

/** What stands in the place of values that too few users are behind. */
function TooFew({ has, needs }: { has: number; needs: number }) {
  return (
    <div className={styles.few}>
      <progress aria-label="Users of those needed" max={needs} value={has} />
      <span>
        Too few users to say: {formatExact(has, 'count')} of {formatExact(needs, 'count')}
      </span>
    </div>
  );
}
