import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Dimension, goalDimensions } from '../../conditions/dimensions';
import type { DataOf } from '../../graphql/graphql';
import type { FunnelInput } from '../../graphql/schema.gen';
import type { Place } from '../../scope/scope';
import { useChange } from '../../scope/useChange';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { CsvButton } from '../../ui/CsvButton';
import { downloadCsv } from '../../ui/csv';
import { type Column, RankedTable } from '../../ui/RankedTable';
import styles from './Funnels.module.css';
import { breakdownQuery } from './queries';
import type { FunnelsView } from './search';

type Broken = NonNullable<
  NonNullable<NonNullable<DataOf<'FunnelBreakdown'>['app']>['productAnalytics']>['funnelBreakdown']
>;
type Row = Broken['rows'][number];

type Props = { place: Place; search: FunnelsView; input: FunnelInput };

const columns: Column<Row>[] = [
  { id: 'entered', name: 'Entered', kind: 'count', value: ({ entered }) => entered },
  { id: 'converted', name: 'Converted', kind: 'count', value: ({ converted }) => converted },
  { id: 'rate', name: 'Conversion rate', kind: 'share', value: ({ rate }) => rate },
  { id: 'open', name: 'Open', kind: 'count', value: ({ open }) => open },
];

/** A funnel by a dimension of the sessions in which it began. */
export function FunnelBreakdown({ place, search, input }: Props) {
  const change = useChange();
  const answer = useQuery(breakdownQuery(place, input, search));
  const split = search.split ?? 'ACQUISITION_CHANNEL';
  const dimension = goalDimensions[split];
  const broken = answer.data?.data.app?.productAnalytics?.funnelBreakdown;
  const called = (row: Row) =>
    row === broken?.other ? 'All other' : row.value ? valueName(split, row.value) : '(none)';
  return (
    <Card
      title={`Conversion by ${dimension.toLowerCase()}`}
      answer={answer}
      part={({ app }) => app?.productAnalytics?.funnelBreakdown}
      path="app.productAnalytics.funnelBreakdown"
      figures={() => ({ funnelEntered: undefined, funnelConverted: undefined, funnelRate: undefined })}
      waiting={{ rows: 8 }}
      empty={({ rows }) => (rows.length > 0 ? undefined : <p>No data in this period.</p>)}
      actions={
        <div className={styles.tools}>
          <Select
            aria-label="Break down by"
            size="xs"
            allowDeselect={false}
            value={split}
            data={Object.entries(goalDimensions).map(([value, label]) => ({ value, label }))}
            onChange={(value) => change({ split: (value ?? undefined) as Dimension | undefined })}
          />
          {broken && (
            <CsvButton
              save={() =>
                downloadCsv('funnel-breakdown', [
                  [dimension, ...columns.map(({ name }) => name)],
                  ...rowsOf(broken).map((row) => [called(row), ...columns.map(({ value }) => value(row))]),
                ])
              }
            />
          )}
        </div>
      }
    >
      {(broken) => (
        <RankedTable
          name={dimension}
          rows={rowsOf(broken)}
          columns={columns}
          keyOf={(row) => (row === broken.other ? 'other' : `${row.country}/${row.region}/${row.value}`)}
          label={called}
        />
      )}
    </Card>
  );
}

const rowsOf = ({ rows, other }: Broken): readonly Row[] => (other ? [...rows, other] : rows);
