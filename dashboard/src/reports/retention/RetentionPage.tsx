import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Curve, type Share } from '../../charts/Curve';
import { Heatmap } from '../../charts/Heatmap';
import type { Figures } from '../../explain/definitions';
import type { DataOf } from '../../graphql/graphql';
import { Nobody } from '../../scope/Nobody';
import { ReportTable } from '../../scope/ReportTable';
import { ScopeBar } from '../../scope/ScopeBar';
import { comparedName, zoneOf } from '../../scope/scope';
import { useCompared } from '../../scope/useCompared';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { formatBucket } from '../../ui/format';
import type { Column } from '../../ui/RankedTable';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { retentionQuery } from './queries';

const retentionRoute = getRouteApi('/apps/$app/$environment/retention');

type Row = NonNullable<
  NonNullable<NonNullable<DataOf<'Retention'>['app']>['productAnalytics']>['retentionBreakdown']
>['nodes'][number];

const columns: Column<Row, 'VISITORS' | `DAY${1 | 3 | 7 | 14 | 30}_RATE`>[] = [
  { id: 'visitors', name: 'Visitors', kind: 'count', value: ({ visitors }) => visitors, sort: 'VISITORS' },
  ...([1, 3, 7, 14, 30] as const).map((offset) => ({
    id: `day-${offset}`,
    name: `Day ${offset}`,
    kind: 'share' as const,
    value: ({ days }: Row) => days.find((day) => day.offset === offset)?.rate,
    sort: `DAY${offset}_RATE` as const,
  })),
];
const dimensions = {
  SOURCE: 'Source',
  CAMPAIGN: 'Campaign',
  COUNTRY: 'Country',
  PLATFORM: 'Platform',
  DEVICE: 'Device',
} as const;

/** Who comes back: on the days after the first, by cohort, and by where they came from. */
export function RetentionPage() {
  const search = retentionRoute.useSearch();
  const place = retentionRoute.useParams();
  const navigate = retentionRoute.useNavigate();
  const answer = useQuery(retentionQuery(place, search));
  const compared = useCompared(retentionQuery(place, search, 'compared'), search)?.data.app?.productAnalytics;
  const cohorts = search.cohorts ?? 'day';
  const dimension = search.dimension ?? 'SOURCE';
  const change = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), resetScroll: false });
  // The chart above says so, once.
  const nobody = answer.data?.data.app?.productAnalytics?.retentionCohorts?.every(({ size }) => size === 0);
  return (
    <>
      <ScopeBar title="Retention" grain={false} />
      <Card
        title="Retention by day"
        answer={answer}
        part={({ app }) => app?.productAnalytics?.retentionCurve}
        path="app.productAnalytics.retentionCurve"
        figures={(curve) => returnFigures(exactOf(curve))}
        example={(curve) => {
          const day = exactOf(curve);
          return day && `day ${day.offset}`;
        }}
        waiting={{ height: 240 }}
        empty={(curve) => (curve.some(({ eligible }) => eligible > 0) ? undefined : <Nobody />)}
      >
        {(curve) => {
          const last = Math.max(lastOf(curve), lastOf(compared?.retentionCurve ?? []), 7);
          const drawn = ({ offset }: Share) => offset > 0 && offset <= last;
          return (
            <Curve
              title="Retention rate"
              points={curve.filter(drawn)}
              compared={compared?.retentionCurve?.filter(drawn)}
              comparedName={comparedName(search)}
            />
          );
        }}
      </Card>
      {!nobody && (
        <>
          <Card
            title="Cohorts"
            actions={
              <div style={{ display: 'flex', gap: 8 }}>
                <SegmentedControl
                  size="xs"
                  aria-label="Show"
                  value={search.show ?? 'share'}
                  onChange={(show) => change({ show: show === 'people' ? 'people' : undefined })}
                  data={[
                    { value: 'share', label: 'Percent' },
                    { value: 'people', label: 'Visitors' },
                  ]}
                />
                <SegmentedControl
                  size="xs"
                  aria-label="Cohorts by"
                  value={cohorts}
                  onChange={(value) => change({ cohorts: value === 'day' ? undefined : (value as 'week' | 'month') })}
                  data={[
                    { value: 'day', label: 'Days' },
                    { value: 'week', label: 'Weeks' },
                    { value: 'month', label: 'Months' },
                  ]}
                />
              </div>
            }
            answer={answer}
            part={({ app }) => app?.productAnalytics?.retentionCohorts}
            path="app.productAnalytics.retentionCohorts"
            figures={(rows) => ({
              cohortSize: firstCohort(rows)?.size,
              ...returnFigures(exactOf(firstCohort(rows)?.offsets)),
            })}
            example={(rows) => {
              const offset = exactOf(firstCohort(rows)?.offsets)?.offset;
              return offset === undefined
                ? undefined
                : `the first cohort with anybody, after ${offset === 1 ? `a ${cohorts}` : `${offset} ${cohorts}s`}`;
            }}
            waiting={{ rows: 8 }}
            empty={(rows) => (rows.some(({ size }) => size > 0) ? undefined : <Nobody />)}
          >
            {(rows) => (
              <Heatmap
                title="Retention by cohort"
                unit={{ day: 'Day', week: 'Week', month: 'Month' }[cohorts]}
                people={search.show === 'people'}
                // A year of an app that began last month is no list of zeros.
                rows={rows.slice(rows.findIndex(({ size }) => size > 0)).map(({ bucket, size, offsets }) => ({
                  name: formatBucket(bucket, zoneOf(search), cohorts.toUpperCase() as 'DAY'),
                  size,
                  cells: offsets,
                }))}
              />
            )}
          </Card>
          <Card
            title="Retention by first touch"
            actions={
              <SegmentedControl
                size="xs"
                aria-label="By"
                value={dimension}
                onChange={(value) => change({ dimension: value as typeof dimension })}
                data={Object.entries(dimensions).map(([value, label]) => ({ value, label }))}
              />
            }
            answer={answer}
            part={({ app }) => app?.productAnalytics?.retentionBreakdown}
            path="app.productAnalytics.retentionBreakdown"
            figures={({ nodes }) => ({
              cohortSize: nodes[0]?.visitors,
              ...returnFigures(exactOf(nodes[0]?.days)),
            })}
            example={({ nodes }) => {
              const day = exactOf(nodes[0]?.days);
              return day && `the first row on day ${day.offset}`;
            }}
            waiting={{ rows: 8 }}
          >
            {({ nodes, totalCount }) => (
              <ReportTable
                name={dimensions[dimension]}
                rows={nodes}
                total={totalCount}
                compared={compared?.retentionBreakdown}
                keyOf={({ value }) => value}
                label={({ value }) => valueName(dimension, value)}
                text={({ value }) => value}
                file={`retention-${dimensions[dimension].toLowerCase()}`}
                search={search}
                usual="VISITORS"
                columns={columns}
              />
            )}
          </Card>
        </>
      )}
    </>
  );
}

/** The first offset at which the formula gives the very share: on the last day some have come back already whose day is
 * not over, and only those are counted whose day is. */
const exactOf = (offsets: readonly Share[] | undefined): Share | undefined =>
  offsets?.find(
    ({ offset, returned, eligible, rate }) => offset > 0 && rate !== null && Math.round(rate * eligible) === returned,
  );

/** The last day that is over for anybody: a short range has none of the later ones. */
const lastOf = (curve: readonly Share[]): number => curve.findLast(({ rate }) => rate !== null)?.offset ?? 0;

const firstCohort = <Row extends { size: number }>(rows: readonly Row[]): Row | undefined =>
  rows.find(({ size }) => size > 0);

const returnFigures = (at: Share | undefined): Figures => ({
  returned: at?.returned,
  eligible: at?.eligible,
  returnRate: at?.rate,
});
