import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { sortBy, type TableSearch, tableSteps } from '../scope/table';
import { downloadCsv } from './csv';
import { formatExact } from './format';
import { Icon } from './Icon';
import { type Column, RankedTable } from './RankedTable';
import styles from './ReportTable.module.css';

type Props<Row, Sort extends string> = Omit<
  Parameters<typeof RankedTable<Row, Sort>>[0],
  'sorted' | 'sort' | 'bars'
> & {
  total: number;
  search: TableSearch<Sort>;
  /** The column that the table is sorted by when the address says none. */
  usual: Sort;
  change: (search: TableSearch<Sort>) => void;
  /** Names the file of the download. */
  file: string;
  /** A row's name as plain text, for the download. */
  text: (row: Row) => string;
};

/** The whole table of a report: sorted and searched by the server, more rows on demand, and as CSV. */
export function ReportTable<Row, Sort extends string>(props: Props<Row, Sort>) {
  const { rows, columns, total, search, usual, change, file, text, name } = props;
  const by = search.by ?? usual;
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
        <Search text={search.q ?? ''} change={(q) => change({ ...search, q: q || undefined, rows: undefined })} />
        <span className={styles.total}>
          {rows.length < total ? `${rows.length} of ${formatExact(total, 'count')}` : formatExact(total, 'count')}
        </span>
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
        bars={bars}
        sorted={{ by, ascending: search.order === 'up' }}
        sort={(by) => change({ ...search, ...sortBy(search, usual, by) })}
      />
      {rows.length === 0 && <p className={styles.none}>Nothing is called that in this range.</p>}
      {rows.length < total && more && (
        <Button variant="default" mt="sm" onClick={() => change({ ...search, rows: more === 200 ? '200' : '1000' })}>
          Show {Math.min(more, total)} rows
        </Button>
      )}
    </>
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

export type { Column };
