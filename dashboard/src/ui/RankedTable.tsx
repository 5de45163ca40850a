import { type ReactNode, useRef } from 'react';
import { type FigureKind, formatAligned, formatExact } from './format';
import styles from './RankedTable.module.css';
import { useRowsInSight } from './useRowsInSight';

/** A figure of every row. `sort` is what the server orders by for it; a column without one can't be sorted by. */
export type Column<Row, Sort extends string = string> = {
  id: string;
  name: string;
  kind: FigureKind;
  value: (row: Row) => number | null | undefined;
  sort?: Sort;
};

type Props<Row, Sort extends string> = {
  /** What the rows are, for the head of the first column. */
  name: string;
  rows: readonly Row[];
  columns: readonly Column<Row, Sort>[];
  keyOf: (row: Row) => string;
  /** What a row is called. */
  label: (row: Row) => ReactNode;
  /** The bars behind the names show this column's share of the greatest row: the first column unless it says otherwise. */
  bars?: number;
  /** Its rows are things with several measures, such as users: higher, and without bars, which would rank by one. */
  plain?: boolean;
  /** A click on a row's name; with ⌥ it excludes. */
  pick?: (row: Row, exclude: boolean) => void;
  /** What a click on a name does, where it is not a filter. */
  hint?: string;
  sorted?: { by: Sort; ascending: boolean };
  sort?: (by: Sort) => void;
};

/** From here on a table scrolls by itself and draws the rows in sight alone. */
const many = 300;

/** A ranked list whose rows are bars, so that the list is a chart, unless it is plain. */
export function RankedTable<Row, Sort extends string>(props: Props<Row, Sort>) {
  const { name, rows, columns, keyOf, sorted, sort, plain, bars = 0 } = props;
  const scroller = useRef<HTMLElement>(null);
  const measure = columns[bars]!.value;
  const greatest = Math.max(
    1e-9,
    rows.reduce((most, row) => Math.max(most, measure(row) ?? 0), 0),
  );
  const long = rows.length > many;
  const { inSight, total } = useRowsInSight({ scroller, count: long ? rows.length : 0, estimate: plain ? 52 : 36 });
  const before = inSight[0]?.start ?? 0;
  const after = total - (inSight.at(-1)?.end ?? 0);
  const shown = long ? inSight.map(({ index }) => index) : [...rows.keys()];
  return (
    <section
      ref={scroller}
      className={styles.scroll}
      data-long={long || undefined}
      data-plain={plain || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, so the keyboard must reach it
      tabIndex={0}
      aria-label={name}
    >
      <table className={styles.table} aria-rowcount={long ? rows.length + 1 : undefined}>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sorted={sorted} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {long && before > 0 && <tr style={{ height: before }} />}
          {shown.map((i) => (
            <RowOf
              {...props}
              key={keyOf(rows[i]!)}
              row={rows[i]!}
              index={long ? i + 2 : undefined}
              share={(measure(rows[i]!) ?? 0) / greatest}
            />
          ))}
          {long && after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
    </section>
  );
}

type RowProps<Row, Sort extends string> = Props<Row, Sort> & {
  row: Row;
  /** Where it stands among all rows, the head among them, when not all are drawn. */
  index?: number;
  /** The length of its bar, of the greatest row's. */
  share: number;
};

function RowOf<Row, Sort extends string>(props: RowProps<Row, Sort>) {
  const { row, index, share, columns, label, pick, hint, plain, sorted } = props;
  return (
    <tr aria-rowindex={index}>
      <th scope="row">
        {!plain && <span className={styles.bar} style={{ width: `${share * 100}%` }} />}
        {pick ? (
          <button
            type="button"
            className={styles.name}
            title={hint ?? (plain ? undefined : 'Filter by this value; hold ⌥ to exclude it')}
            onClick={(event) => pick(row, event.altKey)}
          >
            <bdi>{label(row)}</bdi>
          </button>
        ) : (
          <span className={styles.name}>
            <bdi>{label(row)}</bdi>
          </span>
        )}
      </th>
      {columns.map(({ id, kind, value, sort: by }) => (
        <td
          key={id}
          title={formatExact(value(row), kind)}
          data-sorted={(by && sorted?.by === by) || undefined}
          data-nothing={!value(row) || undefined}
        >
          {formatAligned(value(row), kind)}
        </td>
      ))}
    </tr>
  );
}

function HeadCell<Row, Sort extends string>({
  column,
  sorted,
  sort,
}: { column: Column<Row, Sort> } & Pick<Props<Row, Sort>, 'sorted' | 'sort'>) {
  const { name, sort: by } = column;
  if (!sort || !by) return <th scope="col">{name}</th>;
  const here = sorted?.by === by;
  const order = here ? (sorted.ascending ? 'ascending' : 'descending') : 'none';
  return (
    <th scope="col" aria-sort={order} data-sorted={here || undefined}>
      <button type="button" className={styles.sort} onClick={() => sort(by)}>
        {name}
        <span aria-hidden="true">{here ? (sorted.ascending ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  );
}
