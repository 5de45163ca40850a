import { type Column, RankedTable } from '../../ui/RankedTable';
import styles from './Funnels.module.css';
import type { Report } from './queries';
import { nextName, stepName } from './words';

type Row = { name: string; count: number; dropped: number };

/** What those who dropped off did first after each step. */
export function Next({ report, unit }: { report: Report; unit: string }) {
  const columns: Column<Row>[] = [
    { id: 'count', name: `${unit[0]!.toUpperCase()}${unit.slice(1)}s`, kind: 'count', value: ({ count }) => count },
    { id: 'share', name: 'Share', kind: 'share', value: ({ count, dropped }) => count / dropped },
  ];
  return (
    <div className={styles.next}>
      {[...report.steps.entries()].map(([i, step]) => {
        const { dropped, next, nothingNext } = step;
        if (dropped === 0) return null;
        const others = dropped - nothingNext - next.reduce((sum, { count }) => sum + count, 0);
        const rows: Row[] = [
          ...next.map((one) => ({ name: nextName(one), count: one.count, dropped })),
          ...(others > 0 ? [{ name: 'Other', count: others, dropped }] : []),
          ...(nothingNext > 0 ? [{ name: 'Nothing', count: nothingNext, dropped }] : []),
        ];
        return (
          <RankedTable
            key={i}
            name={`After ${stepName(step, i)}`}
            rows={rows}
            columns={columns}
            keyOf={({ name }) => name}
            label={({ name }) => name}
          />
        );
      })}
    </div>
  );
}
