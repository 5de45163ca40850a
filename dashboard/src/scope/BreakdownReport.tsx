import { SegmentedControl } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ValueChart } from '../charts/ValueChart';
import type { DataOf, Document, Fragment } from '../graphql/graphql';
import type { SessionMetric } from '../graphql/schema.gen';
import type { Answer } from '../graphql/send';
import { Card } from '../ui/Card';
import { ReportTable } from '../ui/ReportTable';
import { type BreakdownRow, breakdownColumns, sessionMetricNames, type valueSeries } from './breakdown';
import { type Dimension, withRow } from './filters';
import { ScopeBar } from './ScopeBar';
import type { TableSearch } from './table';
import { useChart } from './useChart';
import { useView } from './useView';
import { valueName } from './valueName';

type Parts = {
  series: readonly Fragment<typeof valueSeries>[] | null | undefined;
  table: { totalCount: number; nodes: readonly BreakdownRow[] } | null | undefined;
};

type Props<Name extends Document['name'], D extends string> = {
  title: string;
  answer: UseQueryResult<Answer<Name>>;
  parts: (data: DataOf<Name>) => Parts;
  /** Names of the two fields in the answer. */
  fields: { series: string; table: string };
  /** The dimensions of the report, with the filter that a row is. */
  dimensions: Record<D, { name: string; filter?: Dimension }>;
  dimension: D;
  chooseDimension: (dimension: D) => void;
  table: TableSearch<SessionMetric>;
  changeTable: (table: TableSearch<SessionMetric>) => void;
};

/** The page of a report that counts sessions by a value: the greatest over time, then all of them. */
export function BreakdownReport<Name extends Document['name'], D extends string>(props: Props<Name, D>) {
  const { title, answer, parts, fields, dimensions, dimension, chooseDimension, table, changeTable } = props;
  const { filters, setFilters } = useView();
  const { name, filter } = dimensions[dimension];
  const metric = table.by ?? 'VISITORS';
  const series = answer.data && parts(answer.data.data).series;
  const chart = useChart(series?.[0]?.points.length ?? 0);
  const nameOf = (value: string) => (filter ? valueName(filter, value) : valueName('city', value));
  const nobody = {
    title: 'Nobody in this range',
    why: 'There were no visitors, or the filters leave none.',
    next: (
      <Link to="." search={{ range: '12mo' }}>
        Look at the last twelve months
      </Link>
    ),
  };
  return (
    <>
      <ScopeBar title={title} />
      <Card
        title={`${sessionMetricNames[metric].name} by ${name.toLowerCase()}`}
        actions={
          <SegmentedControl
            size="xs"
            aria-label="By"
            value={dimension}
            onChange={(value) => chooseDimension(value as D)}
            data={Object.entries<{ name: string }>(dimensions).map(([value, { name }]) => ({ value, label: name }))}
          />
        }
        answer={answer}
        part={(data) => parts(data).series}
        path={fields.series}
        waiting={{ height: 290 }}
        empty={(series) => (series.length > 0 ? undefined : nobody)}
      >
        {(series) => (
          <ValueChart
            title={`${sessionMetricNames[metric].name} by ${name.toLowerCase()} over time`}
            series={series}
            nameOf={nameOf}
            kind={sessionMetricNames[metric].kind}
            {...chart}
          />
        )}
      </Card>
      <div style={{ height: 16 }} />
      <Card title={name} answer={answer} part={(data) => parts(data).table} path={fields.table} waiting={{ rows: 12 }}>
        {(page) => (
          <ReportTable
            name={name}
            rows={page.nodes}
            total={page.totalCount}
            columns={breakdownColumns}
            keyOf={({ value, country, region }) => `${country}/${region}/${value}`}
            label={(row) => <Label row={row} nameOf={nameOf} />}
            text={({ value }) => value}
            file={`${title.toLowerCase()}-${name.toLowerCase()}`}
            search={table}
            usual="VISITORS"
            change={changeTable}
            pick={filter && ((row, exclude) => setFilters(withRow(filters, filter, row.value, exclude)))}
          />
        )}
      </Card>
    </>
  );
}

function Label({ row, nameOf }: { row: BreakdownRow; nameOf: (value: string) => string }) {
  const where = [row.region, row.country].filter((part) => part !== '' && part !== row.value);
  return (
    <>
      {nameOf(row.value)}
      {where.length > 0 && <small> {where.join(', ')}</small>}
    </>
  );
}
