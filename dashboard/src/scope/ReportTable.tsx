import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { downloadCsv } from '../ui/csv';
import { formatExact } from '../ui/format';
import { Icon } from '../ui/Icon';
import { type Column, RankedTable } from '../ui/RankedTable';
import styles from './ReportTable.module.css';
import { hiddenOf, sortBy, type TableSearch, tableSteps, withHidden } from './table';
import { useChange } from './useChange';

type Props<Row, Sort extends string> = Omit<
  Parameters<typeof RankedTable<Row, Sort>>[0],
  'sorted' | 'sort' | 'bars'
> & {
  total: number;
  search: TableSearch<Sort>;
  /** The column that the table is sorted by when the address says none. */
  usual: Sort;
  /** Names the file of the download. */
  file: string;
  /** A row's name as plain text, for the download. */
  text: (row: Row) => string;
};

/** The whole table of a report: sorted and searched by the server, with the columns that the reader chose, more rows on
 * demand, and what is shown as CSV. The address holds all of it. */
export function ReportTable<Row, Sort extends string>(props: Props<Row, Sort>) {
  const { rows, total, search, usual, file, text, name } = props;
  const change = useChange();
  const by = search.by ?? usual;
  const hidden = hiddenOf(search);
  // The column that the rows are sorted by explains their order: it stays.
  const columns = props.columns.filter(({ id, sort }) => !hidden.includes(id) || sort === by);
  const bars = Math.max(
    0,
    columns.findIndex(({ sort }) => sort === by),
  );
  const more = tableSteps.find((step) => step > rows.length);
  const cells = () => [
    [name, ...columns.map((column) => column.name)],
    ...rows.map((row) => [text(row), ...columns.map(({ value }) => value(row))]),
  ];
  return (
    <>
      <div className={styles.tools}>
        <Search text={search.q ?? ''} change={(q) => change({ q: q || undefined, rows: undefined }, true)} />
        <span className={styles.total}>
          {rows.length < total ? `${rows.length} of ${formatExact(total, 'count')}` : formatExact(total, 'count')}
        </span>
        <Columns
          columns={props.columns}
          shown={columns}
          toggle={(id, hide) => change({ hide: withHidden(search, id, hide) })}
        />
        <Button
          variant="default"
          leftSection={<Icon name="download" size={14} />}
          onClick={() => downloadCsv(file, cells())}
        >
          CSV
        </Button>
      </div>
      <RankedTable
        {...props}
        columns={columns}
        bars={bars}
        sorted={{ by, ascending: search.order === 'up' }}
        sort={(by) => change(sortBy(search, usual, by))}
      />
      {rows.length === 0 && (
        <p className={styles.none}>{search.q ? 'Nothing is called that in this range.' : 'Nothing in this range.'}</p>
      )}
      {rows.length < total && more && (
        <Button variant="default" mt="sm" onClick={() => change({ rows: String(more) })}>
          Show {formatExact(Math.min(more, total), 'count')} rows
        </Button>
      )}
    </>
  );
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
        <Button variant="default">Columns</Button>
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

function Search({ text, change }: { text: string; change: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const later = useDebouncedCallback(change, 200);
  return (
    <TextInput
      aria-label="Search rows"
      placeholder="Search rows"
      w={220}
      leftSection={<Icon name="search" size={14} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        later(event.target.value);
      }}
    />
  );
}
