import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ValueChart } from '../../charts/ValueChart';
import type { Figures } from '../../explain/definitions';
import type { EngagementDimension, EngagementMetric } from '../../graphql/schema.gen';
import { withRow } from '../../scope/filters';
import { Nobody } from '../../scope/Nobody';
import { ReportTable } from '../../scope/ReportTable';
import { ScopeBar } from '../../scope/ScopeBar';
import { useChart } from '../../scope/useChart';
import { useCompared } from '../../scope/useCompared';
import { useView } from '../../scope/useView';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import type { FigureKind } from '../../ui/format';
import type { Column } from '../../ui/RankedTable';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { ImportedRows } from '../imported/ImportedRows';
import { type EngagementRow, engagementQuery, metricOf, metricsOf } from './queries';

const engagementRoute = getRouteApi('/apps/$app/$environment/engagement');

const lists = {
  PAGE: { name: 'Page', filter: 'page' },
  ENTRY: { name: 'Entry page', filter: 'entry' },
  EXIT: { name: 'Exit page', filter: 'exit' },
} as const;

const columns: Partial<
  Record<EngagementMetric, { name: string; kind: FigureKind; value: (row: EngagementRow) => number | null }>
> = {
  VISITORS: { name: 'Visitors', kind: 'count', value: (row) => row.visitors },
  SESSIONS: { name: 'Sessions', kind: 'count', value: (row) => row.sessions },
  VIEWS: { name: 'Views', kind: 'count', value: (row) => row.views },
  AVERAGE_SECONDS_ON_PAGE: { name: 'Time on page', kind: 'seconds', value: (row) => row.averageSecondsOnPage },
  ENTRIES: { name: 'Entries', kind: 'count', value: (row) => row.entries },
  EXITS: { name: 'Exits', kind: 'count', value: (row) => row.exits },
  EXIT_RATE: { name: 'Exit rate', kind: 'share', value: (row) => row.exitRate },
  BOUNCE_RATE: { name: 'Bounce rate', kind: 'share', value: (row) => row.bounceRate },
  AVERAGE_SESSION_SECONDS: { name: 'Session length', kind: 'seconds', value: (row) => row.averageSessionSeconds },
  REVENUE: { name: 'Revenue', kind: 'money', value: (row) => row.revenue },
};

/** Pages and screens: what is looked at, where sessions begin and end. */
export function EngagementPage() {
  const search = engagementRoute.useSearch();
  const place = engagementRoute.useParams();
  const navigate = engagementRoute.useNavigate();
  const { filters, setFilters } = useView();
  const answer = useQuery(engagementQuery(place, search));
  const compared = useCompared(engagementQuery(place, search, 'compared'), search)?.data.app?.productAnalytics;
  const dimension = search.dimension ?? 'PAGE';
  const { name, filter } = lists[dimension];
  const metric = columns[metricOf(dimension, search.by ?? 'VISITORS')]!;
  const chart = useChart(answer.data?.data.app?.productAnalytics?.engagementSeries?.[0]?.points.length ?? 0);
  const shown: Column<EngagementRow, EngagementMetric>[] = metricsOf[dimension].map((sort) => ({
    id: sort,
    sort,
    ...columns[sort]!,
  }));
  // The chart above says so, once.
  const nobody = answer.data?.data.app?.productAnalytics?.engagementSeries?.length === 0;
  return (
    <>
      <ScopeBar title="Engagement" />
      <Card
        title={`${metric.name} by ${name.toLowerCase()}`}
        actions={
          <SegmentedControl
            size="xs"
            aria-label="By"
            value={dimension}
            onChange={(value) =>
              void navigate({
                search: (before) => ({
                  ...before,
                  dimension: value as typeof dimension,
                  by: undefined,
                  order: undefined,
                  q: undefined,
                  rows: undefined,
                }),
                resetScroll: false,
              })
            }
            data={Object.entries(lists).map(([value, { name }]) => ({ value, label: name }))}
          />
        }
        answer={answer}
        part={({ app }) => app?.productAnalytics?.engagementSeries}
        path="app.productAnalytics.engagementSeries"
        figures={() => figuresOf(dimension, undefined)}
        waiting={{ height: 290 }}
        empty={(series) => (series.length > 0 ? undefined : <Nobody />)}
      >
        {(series) => (
          <ValueChart
            title={`${metric.name} over time`}
            series={series}
            compared={compared?.engagementSeries}
            nameOf={(value) => valueName(filter, value)}
            kind={metric.kind}
            {...chart}
          />
        )}
      </Card>
      {!nobody && (
        <Card
          title={name}
          answer={answer}
          part={({ app }) => app?.productAnalytics?.engagement}
          path="app.productAnalytics.engagement"
          figures={({ nodes }) => figuresOf(dimension, nodes[0])}
          example={({ nodes }) => nodes[0] && `“${valueName(filter, nodes[0].value)}”, the first row`}
          waiting={{ rows: 12 }}
        >
          {(page) => (
            <ReportTable
              name={name}
              rows={page.nodes}
              total={page.totalCount}
              columns={shown}
              keyOf={({ value }) => value}
              label={({ value }) => valueName(filter, value)}
              text={({ value }) => value}
              file={`engagement-${name.toLowerCase()}`}
              search={search}
              compared={compared?.engagement}
              usual="VISITORS"
              pick={({ value }, exclude) => setFilters(withRow(filters, filter, value, exclude))}
            />
          )}
        </Card>
      )}
      <ImportedRows name={name} dimension={dimension} nameOf={(value) => value} />
    </>
  );
}

/** The figures of a row of a list by the ids of their definitions. */
function figuresOf(dimension: EngagementDimension, row: EngagementRow | undefined): Figures {
  const shared = { pageVisitors: row?.visitors, pageSessions: row?.sessions };
  if (dimension === 'EXIT') return { ...shared, exitRate: row?.exitRate };
  if (dimension === 'ENTRY') {
    const { bounceRate, averageSessionSeconds, revenue } = row ?? {};
    return { ...shared, bounceRate, averageSessionSeconds, revenue };
  }
  const { views, averageSecondsOnPage, entries, exits, exitRate } = row ?? {};
  return { ...shared, pageViews: views, averageSecondsOnPage, entries, exits, exitRate };
}
