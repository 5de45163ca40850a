import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import { ValueChart } from '../../charts/ValueChart';
import type { Answer } from '../../graphql/send';
import { type BreakdownRow, breakdownColumns, sessionFigures, sessionMetricNames } from '../../scope/breakdown';
import { withRow } from '../../scope/filters';
import { Nobody } from '../../scope/Nobody';
import { ReportTable } from '../../scope/ReportTable';
import { ScopeBar } from '../../scope/ScopeBar';
import { useChange } from '../../scope/useChange';
import { useChart } from '../../scope/useChart';
import { useView } from '../../scope/useView';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { ImportedRows } from '../imported/ImportedRows';
import type { Breakdown } from './breakdowns';
import type { BreakdownView } from './search';

type Props<D extends string> = {
  report: Breakdown<D>;
  view: BreakdownView<D>;
  answer: UseQueryResult<Answer<'Acquisition' | 'Locations' | 'Devices'>>;
  compared: Answer<'Acquisition' | 'Locations' | 'Devices'> | undefined;
  /** A card before the others. */
  above?: ReactNode;
};

/** The page of a report that counts sessions by a value: the greatest over time, then all of them. */
export function BreakdownReport<D extends string>({ report, view, answer, compared, above }: Props<D>) {
  const { title, dimensions } = report;
  const { filters, setFilters } = useView();
  const change = useChange();
  const names = Object.keys(dimensions) as D[];
  const dimension = view.dimension ?? names[0]!;
  const { name, filter, imported } = dimensions[dimension];
  const metric = sessionMetricNames[view.by ?? 'VISITORS'];
  const chart = useChart(answer.data?.data.app?.productAnalytics?.series?.[0]?.points.length ?? 0);
  const nameOf = useCallback((value: string) => valueName(filter ?? 'city', value), [filter]);
  // The chart above says so, once.
  const nobody = answer.data?.data.app?.productAnalytics?.series?.length === 0;
  return (
    <>
      <ScopeBar title={title} />
      {above}
      <Card
        title={`${metric.name} by ${name.toLowerCase()}`}
        actions={
          <SegmentedControl
            size="xs"
            aria-label="By"
            value={dimension}
            onChange={(dimension) => change({ dimension, q: undefined, rows: undefined })}
            data={names.map((value) => ({ value, label: dimensions[value].name }))}
          />
        }
        answer={answer}
        part={({ app }) => app?.productAnalytics?.series}
        path="app.productAnalytics.series"
        waiting={{ height: 290 }}
        empty={(series) => (series.length > 0 ? undefined : <Nobody />)}
      >
        {(series) => (
          <ValueChart
            title={`${metric.name} by ${name.toLowerCase()} over time`}
            series={series}
            compared={compared?.data.app?.productAnalytics?.series}
            nameOf={nameOf}
            kind={metric.kind}
            {...chart}
          />
        )}
      </Card>
      {!nobody && (
        <Card
          title={name}
          answer={answer}
          part={({ app }) => app?.productAnalytics?.table}
          path="app.productAnalytics.table"
          figures={() => sessionFigures}
          waiting={{ rows: 12 }}
        >
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
              search={view}
              compared={compared?.data.app?.productAnalytics?.table}
              usual="VISITORS"
              pick={filter && ((row, exclude) => setFilters(withRow(filters, filter, row.value, exclude)))}
            />
          )}
        </Card>
      )}
      <ImportedRows name={name} dimension={imported} nameOf={nameOf} />
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
