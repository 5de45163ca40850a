import { formatAligned, formatExact, formatShort } from '../ui/format';
import type { Share } from './Curve';
import styles from './Heatmap.module.css';

type Row = { name: string; size: number; cells: readonly Share[] };
type Props = { title: string; unit: string; people: boolean; rows: readonly Row[] };

/** Cohorts by offset. A cell whose day is not over for all of the cohort is hatched. */
export function Heatmap({ title, unit, people, rows }: Props) {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const greatest = Math.max(
    0.01,
    ...rows.flatMap(({ cells }) => cells.map(({ offset, rate }) => (offset > 0 ? (rate ?? 0) : 0))),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className={styles.scroll} tabIndex={0} aria-label={title}>
      <table className={styles.table}>
        <caption className="reader">{title}</caption>
        <thead>
          <tr>
            <th scope="col">First seen</th>
            <th scope="col">Visitors</th>
            {Array.from({ length: width }, (_, offset) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an offset is its place
              <th key={offset} scope="col">
                {offset === 0 ? unit : ''} {offset}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, size, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className={styles.size}>{formatShort(size, 'count')}</td>
              {cells.map((cell) => (
                <Cell key={cell.offset} cell={cell} size={size} people={people} greatest={greatest} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ cell, size, people, greatest }: { cell: Share; size: number; people: boolean; greatest: number }) {
  const { offset, returned, eligible, rate } = cell;
  if (eligible === 0 || rate === null) return <td className={styles.none} />;
  const shade = offset === 0 ? 0.08 : 0.06 + 0.38 * Math.min(1, rate / greatest);
  return (
    <td
      className={styles.cell}
      data-open={eligible < size || undefined}
      style={{ '--shade': `${Math.round(shade * 100)}%` } as React.CSSProperties}
      title={`${formatExact(returned, 'count')} of ${formatExact(eligible, 'count')}${eligible < size ? `; the day is not over for ${size - eligible}` : ''}`}
    >
      {people ? formatShort(returned, 'count') : formatAligned(rate, 'share')}
    </td>
  );
}
