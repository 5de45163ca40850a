import type { ImportedDimension } from '../../graphql/schema.gen';
import { useView } from '../../scope/useView';
import card from '../../ui/Card.module.css';
import { type Column, RankedTable } from '../../ui/RankedTable';
import styles from './Imported.module.css';
import { type ImportedRow, toolsOf, useImportedRows } from './queries';

const visitors: Column<ImportedRow> = { id: 'visitors', name: 'Visitors', kind: 'count', value: (row) => row.visitors };
const sessions: Column<ImportedRow> = { id: 'sessions', name: 'Sessions', kind: 'count', value: (row) => row.sessions };
const views: Column<ImportedRow> = { id: 'views', name: 'Views', kind: 'count', value: (row) => row.views };
const times: Column<ImportedRow> = { ...views, name: 'Times' };

type Props = {
  /** What the rows are. */
  name: string;
  /** Undefined for what no tool counts by. */
  dimension: ImportedDimension | undefined;
  nameOf: (value: string) => string;
};

/** What another tool counted by a value, apart from what was counted here; nothing where there is none. */
export function ImportedRows({ name, dimension, nameOf }: Props) {
  const { place, search } = useView();
  const found = useImportedRows(place, search, dimension);
  if (!found) return null;
  return (
    <section className={card.card} aria-label={`Imported: ${name}`}>
      <div className={card.head}>
        <h2 className={card.title}>
          {name} in {toolsOf(found)}
        </h2>
      </div>
      <div className={card.body}>
        <p className={styles.note}>
          {found.leftOut
            ? 'Imported totals are left out: they can’t be limited by filters, platforms or segments.'
            : 'Imported totals per day, not part of the numbers above. Visitors of several days are counted on each.'}
        </p>
        {found.rows.length > 0 && (
          <div className={styles.hatched}>
            <RankedTable
              name={`${name}, imported`}
              rows={found.rows}
              columns={dimension === 'EVENT' ? [visitors, times] : [visitors, sessions, views]}
              keyOf={({ value }) => value}
              label={({ value }) => (value === '' ? '(none)' : nameOf(value))}
            />
          </div>
        )}
      </div>
    </section>
  );
}
