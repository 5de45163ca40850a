import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { labeled, lineOf, xOf } from '../charts/geometry';
import { useWidth } from '../charts/useWidth';
import { formatBucket, formatExact } from '../ui/format';
import { type Day, daysOf, formatDifference, formatTickOf, reachOf, ticksAround } from './metrics';
import type { Metric } from './queries';
import styles from './Results.module.css';

type Props = { metric: Metric; variant: string; name: string; planned: number; zone: string };

const [left, right, top, foot, height] = [68, 16, 8, 24, 220] as const;

/** How the difference to the control came about by day, within its sequential interval, which shrinks as users come. */
export function DifferenceChart({ metric, variant, name, planned, zone }: Props) {
  const [ref, full] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const [clip, hatch] = [useId(), useId()];
  const days = daysOf(metric, variant);
  const n = days.length;
  const width = Math.max(0, full - left - right);
  const ticks = ticksAround(reachOf(days));
  const reach = ticks.at(-1)!;
  const tall = height - top - foot;
  const x = (i: number) => left + xOf(i, n, width);
  const y = (value: number) => top + (tall / 2) * (1 - value / reach);
  const enough = days.findIndex(({ users }) => users >= planned);
  const early = x(enough < 0 ? n - 1 : enough);
  const nearest = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) =>
    Math.min(
      n - 1,
      Math.max(
        0,
        Math.round(((clientX - currentTarget.getBoundingClientRect().left - left) / Math.max(1, width)) * (n - 1)),
      ),
    );
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -n, End: n }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setAt((before) => Math.min(n - 1, Math.max(0, (before ?? n - 1) + step)));
  };
  const title = `Difference of ${name} from the control by day`;
  const read = days[at ?? n - 1];
  return (
    <figure className={styles.chart} ref={ref}>
      <figcaption>{read && <Reading day={read} metric={metric} zone={zone} />}</figcaption>
      {full > 0 && n > 0 && (
        <svg
          width={full}
          height={height}
          viewBox={`0 0 ${full} ${height}`}
          role="img"
          aria-label={`${title}. Arrow keys read its values; a table follows.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move its crosshair
          tabIndex={0}
          onKeyDown={move}
          onBlur={() => setAt(undefined)}
          onPointerMove={(event) => setAt(nearest(event))}
          onPointerDown={(event) => setAt(nearest(event))}
          onPointerLeave={({ pointerType }) => pointerType !== 'touch' && setAt(undefined)}
        >
          <defs>
            <clipPath id={clip}>
              <rect x={left} y={top} width={width} height={tall} />
            </clipPath>
            <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line x1="0" y1="0" x2="0" y2="6" className={styles.hatch} />
            </pattern>
          </defs>
          {early > left && n > 1 && (
            <rect x={left} y={top} width={early - left} height={tall} fill={`url(#${hatch})`}>
              <title>Fewer users than planned</title>
            </rect>
          )}
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={left}
                x2={left + width}
                y1={y(tick)}
                y2={y(tick)}
                className={styles.grid}
                data-zero={tick === 0 || undefined}
              />
              <text x={left - 8} y={y(tick) + 4} textAnchor="end" className={styles.tick}>
                {formatTickOf(tick, metric.unit)}
              </text>
            </g>
          ))}
          {labeled(n, width, 72).map((i) => (
            <text
              key={i}
              x={x(i)}
              y={height - 6}
              textAnchor={i === 0 ? 'start' : i === n - 1 ? 'end' : 'middle'}
              className={styles.tick}
            >
              {formatBucket(days[i]!.day, zone, 'DAY')}
            </text>
          ))}
          <g clipPath={`url(#${clip})`}>
            <path d={bandOf(days, x, y)} className={styles.band} />
            <path
              d={lineOf(
                days.map(({ low }) => low),
                x,
                y,
              )}
              className={styles.bound}
            />
            <path
              d={lineOf(
                days.map(({ high }) => high),
                x,
                y,
              )}
              className={styles.bound}
            />
            <path
              d={lineOf(
                days.map(({ difference }) => difference),
                x,
                y,
              )}
              className={styles.line}
            />
          </g>
          {at !== undefined && read && (
            <>
              <line x1={x(at)} x2={x(at)} y1={top} y2={top + tall} className={styles.cross} />
              <circle cx={x(at)} cy={y(read.difference)} r="4" className={styles.dot} />
            </>
          )}
        </svg>
      )}
      <Readable title={title} days={days} metric={metric} zone={zone} />
    </figure>
  );
}

/** The interval of every day, as an area. */
function bandOf(days: readonly Day[], x: (i: number) => number, y: (value: number) => number): string {
  const upper = days.map(({ high }, i) => `${x(i)},${y(high)}`);
  const lower = days.map(({ low }, i) => `${x(i)},${y(low)}`).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}

function Reading({ day, metric: { unit }, zone }: { day: Day; metric: Metric; zone: string }) {
  const { difference, low, high, users } = day;
  return (
    <>
      <b>{formatDifference(difference, unit)}</b> {formatDifference(low, unit)} to {formatDifference(high, unit)} ·{' '}
      {formatExact(users, 'count')} users per variant · {formatBucket(day.day, zone, 'DAY', true)}
    </>
  );
}

/** The chart for readers of screens. */
function Readable({
  title,
  days,
  metric: { unit },
  zone,
}: {
  title: string;
  days: readonly Day[];
  metric: Metric;
  zone: string;
}) {
  return (
    <div className="reader">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Difference</th>
            <th scope="col">Lower bound</th>
            <th scope="col">Upper bound</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, difference, low, high }) => (
            <tr key={day}>
              <th scope="row">{formatBucket(day, zone, 'DAY')}</th>
              <td>{formatDifference(difference, unit)}</td>
              <td>{formatDifference(low, unit)}</td>
              <td>{formatDifference(high, unit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
