import type { CSSProperties } from 'react';
import { formatAligned, formatExact, formatShort } from '../ui/format';
import type { Share } from './Curve';
import styles from './Heatmap.module.css';
import { averageOf, type Cohort, coldest, isOpen, known, reached, warmest, warmestOf, warmthOf } from './heat';

type Props = { title: string; unit: string; people: boolean; rows: readonly Cohort[] };

/** Cohorts by offset, after all of them together. A cell whose time is not over for all of the cohort is hatched. */
export function Heatmap({ title, unit, people, rows }: Props) {
  const cohorts = reached(rows);
  const all = averageOf(cohorts);
  const greatest = warmestOf(cohorts);
  const open = cohorts.some(({ cells, size }) => cells.some((cell) => known(cell) && isOpen(cell, size)));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section className={styles.scroll} tabIndex={0} aria-label={title}>
        <table className={styles.table} style={{ '--offsets': all.cells.length } as CSSProperties}>
          <caption className="reader">{title}</caption>
          <thead>
            <tr>
              <th scope="col">First seen</th>
              <th scope="col">Visitors</th>
              {all.cells.map(({ offset }) => (
                <th key={offset} scope="col">
                  {offset === 1 ? unit : ''} {offset}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[all, ...cohorts].map((cohort, i) => (
              <tr key={cohort.name} data-all={i === 0 || undefined}>
                <th scope="row">{cohort.name}</th>
                <td className={styles.size}>{formatShort(cohort.size, 'count')}</td>
                {cohort.cells.map((cell) => (
                  <Cell
                    key={cell.offset}
                    cell={cell}
                    size={i === 0 ? cell.eligible : cohort.size}
                    {...{ people, greatest }}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {all.cells.length > 0 && <Legend greatest={greatest} unit={open ? unit : undefined} />}
    </>
  );
}

type CellProps = { cell: Share; size: number; people: boolean; greatest: number };

function Cell({ cell, size, people, greatest }: CellProps) {
  const { returned, eligible, rate } = cell;
  if (rate === null || !known(cell)) return <td className={styles.none} />;
  const open = isOpen(cell, size);
  const missing = open ? `; not over for ${formatExact(size - eligible, 'count')}` : '';
  return (
    <td
      className={styles.cell}
      data-open={open || undefined}
      style={{ '--warmth': `${warmthOf(rate, greatest)}%` } as CSSProperties}
      title={`${formatExact(returned, 'count')} of ${formatExact(eligible, 'count')}${missing}`}
    >
      {people ? formatShort(returned, 'count') : formatAligned(rate, 'share')}
    </td>
  );
}

/** What the colors mean, and the hatching where there is some: the unit is given then. */
function Legend({ greatest, unit }: { greatest: number; unit: string | undefined }) {
  return (
    <p className={styles.legend}>
      0%
      <i style={{ '--from': `${coldest}%`, '--to': `${warmest}%` } as CSSProperties} />
      {formatShort(greatest, 'share')}
      {unit && (
        <>
          <span />
          The {unit.toLowerCase()} is not over for some of the cohort
        </>
      )}
    </p>
  );
}
