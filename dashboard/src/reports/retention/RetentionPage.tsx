import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Curve } from '../../charts/Curve';
import { Heatmap } from '../../charts/Heatmap';
import { ScopeBar } from '../../scope/ScopeBar';
import { zoneOf } from '../../scope/scope';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { formatBucket } from '../../ui/format';
import { RankedTable } from '../../ui/RankedTable';
import { retentionQuery, retentionRoute } from './retention';

const offsets = [1, 3, 7, 14, 30] as const;
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
  const navigate = useNavigate({ from: retentionRoute.fullPath });
  const answer = useQuery(retentionQuery(place, search));
  const cohorts = search.cohorts ?? 'day';
  const dimension = search.dimension ?? 'SOURCE';
  const change = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), resetScroll: false });
  return (
    <>
      <ScopeBar title="Retention" grain={false} />
      <Card
        title="People who came back, by days after their first"
        answer={answer}
        part={({ app }) => app?.productAnalytics?.retentionCurve}
        path="app.productAnalytics.retentionCurve"
        waiting={{ height: 240 }}
      >
        {(curve) => <Curve title="Share that came back" points={curve.filter(({ offset }) => offset > 0)} />}
      </Card>
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
                { value: 'people', label: 'People' },
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
        waiting={{ rows: 8 }}
      >
        {(rows) => (
          <Heatmap
            title="Share of each cohort that came back"
            unit={{ day: 'Day', week: 'Week', month: 'Month' }[cohorts]}
            people={search.show === 'people'}
            rows={rows.map(({ bucket, size, offsets }) => ({
              name: formatBucket(bucket, zoneOf(search), cohorts.toUpperCase() as 'DAY'),
              size,
              cells: offsets,
            }))}
          />
        )}
      </Card>
      <Card
        title="By first touch"
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
        waiting={{ rows: 8 }}
      >
        {({ nodes }) => (
          <RankedTable
            name={dimensions[dimension]}
            rows={nodes}
            keyOf={({ value }) => value}
            label={({ value }) => (dimension === 'COUNTRY' ? valueName('country', value) : value || '(none)')}
            columns={[
              { id: 'visitors', name: 'People', kind: 'count', value: ({ visitors }) => visitors },
              ...offsets.map((offset) => ({
                id: `day-${offset}`,
                name: `Day ${offset}`,
                kind: 'share' as const,
                value: ({ days }: (typeof nodes)[number]) => days.find((day) => day.offset === offset)?.rate,
              })),
            ]}
          />
        )}
      </Card>
    </>
  );
}
