import { formatExact, formatShort } from '../ui/format';
import { lineOf, ticksTo, xOf } from './geometry';
import styles from './LineChart.module.css';
import { useWidth } from './useWidth';

/** The share of people at an offset in days; null while nobody's day is over. */
export type Share = { offset: number; returned: number; eligible: number; rate: number | null };

type Props = {
  title: string;
  points: readonly Share[];
  /** The same offsets of what it is compared with. */
  compared?: readonly Share[];
  comparedName?: string;
};

/** Shares by offset. */
export function Curve({ title, points, compared = [], comparedName }: Props) {
  const [ref, full] = useWidth<HTMLDivElement>();
  const height = 240;
  const [left, top, foot] = [44, 12, 24];
  const width = Math.max(0, full - left - 16);
  const ticks = ticksTo(Math.max(0.01, ...[...points, ...compared].map(({ rate }) => rate ?? 0)));
  const x = (i: number) => left + xOf(i, points.length, width);
  const y = (value: number) => top + (height - top - foot) * (1 - value / ticks.at(-1)!);
  return (
    <figure className={styles.chart} ref={ref}>
      {full > 0 && (
        <svg
          width={full}
          height={height}
          viewBox={`0 0 ${full} ${height}`}
          role="img"
          aria-label={`${title}; a table follows.`}
        >
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={left} x2={left + width} y1={y(tick)} y2={y(tick)} className={styles.grid} />
              <text x={left - 8} y={y(tick) + 4} textAnchor="end" className={styles.tick}>
                {formatShort(tick, 'share')}
              </text>
            </g>
          ))}
          {points.map(({ offset }, i) =>
            offset === 1 || points.length <= 10 || offset % 5 === 0 ? (
              <text key={offset} x={x(i)} y={height - 6} textAnchor="middle" className={styles.tick}>
                {offset === 1 ? 'Day 1' : offset}
              </text>
            ) : null,
          )}
          {compared.length > 0 && (
            <path
              d={lineOf(
                compared.map(({ rate }) => rate),
                x,
                y,
              )}
              stroke="var(--compare)"
              strokeDasharray="4 4"
              className={styles.line}
            >
              <title>{comparedName}</title>
            </path>
          )}
          <path
            d={lineOf(
              points.map(({ rate }) => rate),
              x,
              y,
            )}
            stroke="var(--series-1)"
            className={styles.line}
          />
          {points.map(({ offset, returned, eligible, rate }, i) =>
            rate === null ? null : (
              <circle key={offset} cx={x(i)} cy={y(rate)} r="3" fill="var(--series-1)" className={styles.dot}>
                <title>
                  Day {offset}: {formatShort(rate, 'share')}, {formatExact(returned, 'count')} of{' '}
                  {formatExact(eligible, 'count')}
                </title>
              </circle>
            ),
          )}
        </svg>
      )}
      <div className="reader">
        <table>
          <caption>{title}</caption>
          {compared.length > 0 && (
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col">Retention</th>
                <th scope="col">{comparedName}</th>
              </tr>
            </thead>
          )}
          <tbody>
            {points.map(({ offset, rate }, i) => (
              <tr key={offset}>
                <th scope="row">Day {offset}</th>
                <td>{formatExact(rate, 'share')}</td>
                {compared.length > 0 && <td>{formatExact(compared[i]?.rate, 'share')}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
