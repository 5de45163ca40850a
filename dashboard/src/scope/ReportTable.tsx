import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { CsvButton } from '../ui/CsvButton';
import { downloadCsv } from '../ui/csv';
import { countOf, type FigureKind, formatExact } from '../ui/format';
import { Icon } from '../ui/Icon';
import { type Column, RankedTable } from '../ui/RankedTable';
import styles from './ReportTable.module.css';
import { comparedName } from './scope';
import { hiddenOf, sortBy, type TableSearch, tableSteps, withHidden } from './table';
import { useChange } from './useChange';
import { useView } from './useView';

type Props<Row, Sort extends string> = Omit<
  Parameters<typeof RankedTable<Row, Sort>>[0],
  'sorted' | 'sort' | 'bars'
> & {
  total: number;
  search: TableSearch<Sort>;
  /** The name of `search.by` in the address, where a page calls something else so. */
  sortParam?: 'by' | 'sort';
  /** What the server does not do of it, so that the rows that are there are sorted, or sorted and searched, here. */
  local?: 'order' | 'all';
  /** What the search looks for. */
  searchLabel?: string;
  /** What is said when nothing is found. */
  nothing?: string;
  /** How many rows the server gives at most. */
  most?: number;
  /** The column that the table is sorted by when the address says none; undefined for the order of the server. */
  usual: Sort | undefined;
  /** Names the file of the download. */
  file: string;
  /** A row's name as plain text, for the download. */
  text: (row: Row) => string;
  /** The same table of what it is compared with: the column that rows are sorted by stands there twice. */
  compared?: { nodes: readonly Row[]; totalCount: number } | null;
};

/** The whole table of a report: sorted and searched by the server where it can, with the columns that the reader chose, more rows on
 * demand, and what is shown as CSV. The address holds all of it. */
export function ReportTable<Row, Sort extends string>(props: Props<Row, Sort>) {
  const {
    total,
    search,
    sortParam = 'by',
    local,
    most = 10_000,
    searchLabel,
    nothing,
    usual,
    file,
    text,
    name,
    keyOf,
    compared,
  } = props;
  const { search: scope } = useView();
  const change = useChange();
  const by = search.by ?? usual;
  const hidden = hiddenOf(search);
  // The column that the rows are sorted by explains their order: it stays.
  const chosen = props.columns.filter(({ id, sort }) => !hidden.includes(id) || (by !== undefined && sort === by));
  const columns =
    compared && by
      ? withCompared(chosen, by, keyOf, compared, comparedName(scope))
      : (chosen as readonly Column<Row, Sort>[]);
  const bars = Math.max(
    0,
    columns.findIndex(({ sort }) => by !== undefined && sort === by),
  );
  const rows = local ? arranged(props.rows, props.columns, local === 'all' ? text : undefined, search, by) : props.rows;
  const more = tableSteps.find((step) => step > props.rows.length && step <= most);
  const cells = () => [
    [name, ...columns.map((column) => column.name)],
    ...rows.map((row) => [text(row), ...columns.map(({ kind, value }) => csvCell(value(row), kind))]),
  ];
  return (
    <>
      {(total > 0 || search.q) && (
        <div className={styles.tools}>
          <Search
            label={searchLabel}
            text={search.q ?? ''}
            change={(q) => change({ q: q.trim() || undefined, rows: undefined, after: undefined }, true)}
          />
          <span className={styles.total}>
            {rows.length < total
              ? `${formatExact(rows.length, 'count')} of ${countOf(total, 'row')}`
              : countOf(total, 'row')}
          </span>
          <Columns
            columns={props.columns}
            shown={chosen}
            toggle={(id, hide) => change({ hide: withHidden(search, id, hide) })}
          />
          <CsvButton save={() => downloadCsv(file, cells())} />
        </div>
      )}
      <RankedTable
        {...props}
        rows={rows}
        columns={columns}
        bars={bars}
        sorted={by && { by, ascending: search.order === 'up' }}
        sort={(next) => {
          const { by, order } = sortBy(search, usual, next);
          change({ [sortParam]: by, order });
        }}
      />
      {rows.length === 0 && (
        <p className={styles.none}>
          {nothing ?? (search.q ? 'No matches in this period.' : 'No data in this period.')}
        </p>
      )}
      {props.rows.length < total && more && (
        <Button variant="default" mt="sm" onClick={() => change({ rows: String(more) })}>
          Show {formatExact(Math.min(more, total), 'count')} rows
        </Button>
      )}
    </>
  );
}

/** The rows whose text holds what is searched for, in the order of a column; what has no figure stands last. */
function arranged<Row, Sort extends string>(
  rows: readonly Row[],
  columns: readonly Column<Row, Sort>[],
  text: ((row: Row) => string) | undefined,
  { q = '', order }: TableSearch<Sort>,
  by: Sort | undefined,
): readonly Row[] {
  const found = text ? rows.filter((row) => text(row).toLowerCase().includes(q.toLowerCase())) : rows;
  const value = by && columns.find(({ sort }) => sort === by)?.value;
  if (!value) return found;
  return found.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left == null || right == null) return Number(left == null) - Number(right == null);
    return order === 'up' ? left - right : right - left;
  });
}

const csvCell = (value: number | null | undefined, kind: FigureKind) =>
  kind === 'time' && value != null ? new Date(value).toISOString() : value;

/** The columns with that of the order a second time, as it was in what is compared with. */
function withCompared<Row, Sort extends string>(
  columns: readonly Column<Row, Sort>[],
  by: Sort,
  keyOf: (row: Row) => string,
  { nodes, totalCount }: { nodes: readonly Row[]; totalCount: number },
  name: string,
): Column<Row, Sort>[] {
  const rows = new Map(nodes.map((row) => [keyOf(row), row]));
  return columns.flatMap((column) => {
    if (column.sort !== by) return [column];
    // A row that is not among all of them counted nothing there; of the rows that were not read nothing is known.
    const counts = column.kind === 'count' || column.kind === 'money';
    const absent = counts && nodes.length >= totalCount ? 0 : null;
    const value = (row: Row) => {
      const before = rows.get(keyOf(row));
      return before ? column.value(before) : absent;
    };
    return [column, { id: `${column.id}-compared`, name, kind: column.kind, value }];
  });
}

function Columns<Row>({
  columns,
  shown,
  toggle,
}: {
  columns: readonly Column<Row>[];
  shown: readonly Column<Row>[];
  toggle: (id: string, hide: boolean) => void;
}) {
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" data-print="no">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.columns}>
        {columns.map((column) => (
          <Checkbox
            key={column.id}
            size="xs"
            label={column.name}
            checked={shown.includes(column)}
            onChange={(event) => toggle(column.id, !event.target.checked)}
          />
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}

function Search({
  text,
  label = 'Search rows',
  change,
}: {
  text: string;
  label?: string;
  change: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  const later = useDebouncedCallback(change, 200);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      className={styles.search}
      wrapperProps={{ 'data-print': typed ? undefined : 'no' }}
      leftSection={<Icon name="search" size={14} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        later(event.target.value);
      }}
    />
  );
}
