import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { comparedLines, LineChart } from '../../charts/LineChart';
import type { DataOf } from '../../graphql/graphql';
import { leftOut } from '../../scope/flowScope';
import { ReportTable } from '../../scope/ReportTable';
import { ScopeBar } from '../../scope/ScopeBar';
import { useChart } from '../../scope/useChart';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import type { FigureKind } from '../../ui/format';
import type { Column } from '../../ui/RankedTable';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { Waiting } from '../../ui/Waiting';
import { RecentRuns } from '../runs/RecentRuns';
import { RunDrawer } from '../runs/RunDrawer';
import { FlowTabs } from '../versions/FlowTabs';
import { isMissing, NoFlow } from '../versions/NoFlow';
import { manifestQuery } from '../versions/queries';
import styles from './FlowPage.module.css';
import { Funnel } from './Funnel';
import { Overview, overviewFigures } from './Overview';
import { flowQuery, mostCohorts } from './queries';
import { cohortDimensions } from './search';

const flowRoute = getRouteApi('/apps/$app/$environment/flows/$flow');

// The layout of graphs is loaded when the page is there.
const FlowGraph = lazy(async () => ({ default: (await import('./FlowGraph')).FlowGraph }));

const metrics = {
  starts: { name: 'Starts', kind: 'count' },
  completions: { name: 'Completions', kind: 'count' },
  completionRate: { name: 'Completion rate', kind: 'share' },
  purchases: { name: 'Purchases', kind: 'count' },
  revenue: { name: 'Revenue', kind: 'money' },
} as const satisfies Record<string, { name: string; kind: FigureKind }>;
type Metric = keyof typeof metrics;

const cohorts: Record<(typeof cohortDimensions)[number], string> = {
  PLATFORM: 'Platform',
  LANGUAGE: 'Language',
  COUNTRY: 'Country',
  VERSION: 'Version',
  VARIANT: 'Variant',
  ACQUISITION_CHANNEL: 'Channel',
  DEVICE: 'Device',
};

type Cohort = NonNullable<NonNullable<DataOf<'FlowReport'>['flowAnalytics']>['cohorts']>['nodes'][number];

const cohortColumns = (Object.keys(metrics) as Metric[]).map(
  (id): Column<Cohort, Metric> => ({ id, ...metrics[id], value: (row) => row[id], sort: id }),
);

/** What happened in a flow: how many came, where they went, where they left, who they are. */
export function FlowPage() {
  const search = flowRoute.useSearch();
  const place = flowRoute.useParams();
  const navigate = flowRoute.useNavigate();
  const answer = useQuery(flowQuery(place, search));
  const { flow, flowAnalytics, compared } = answer.data?.data ?? {};
  const newest = flow?.versions.nodes[0]?.id;
  const version = useQuery({ ...manifestQuery(newest ?? ''), enabled: newest !== undefined });
  const chart = useChart(flowAnalytics?.timeseries?.length ?? 0);
  const metric: Metric = search.metric ?? 'starts';
  const by = search.by ?? 'PLATFORM';
  const { by: _by, metric: _metric, sort: _s, order: _o, q: _q, rows: _r, hide: _h, run, ...scope } = search;
  const open = (run?: string) => void navigate({ search: (before) => ({ ...before, run }), resetScroll: false });
  const ignored = leftOut(search);
  const nameOf = (value: string) => {
    const version = by === 'VERSION' && flow?.versions.nodes.find(({ id }) => id === value);
    return version ? `v${version.number} ${version.label}` : valueName(by, value);
  };
  if (isMissing(answer.data)) return <NoFlow place={place} />;
  return (
    <>
      <ScopeBar title={flow?.name ?? 'Flow'} />
      <FlowTabs place={place} />
      {ignored.length > 0 && (
        <p className={styles.note}>
          {ignored.join(', ')}: these filters do not apply to flow runs and are ignored on this page.
        </p>
      )}
      <Card
        title={`${metrics[metric].name} over time`}
        answer={answer}
        part={({ flowAnalytics }) => flowAnalytics?.timeseries}
        path="flowAnalytics.timeseries"
        name="Overview"
        beside={['flowAnalytics.overview']}
        figures={() => overviewFigures(flowAnalytics?.overview)}
        waiting={{ height: 356 }}
      >
        {(points) => (
          <>
            {flowAnalytics?.overview && <Overview overview={flowAnalytics.overview} compared={compared?.overview} />}
            <SegmentedControl
              size="xs"
              aria-label="Metric"
              value={metric}
              onChange={(value) =>
                void navigate({ search: (before) => ({ ...before, metric: value as Metric }), resetScroll: false })
              }
              data={Object.entries(metrics).map(([value, { name }]) => ({ value, label: name }))}
            />
            <LineChart
              title={`${metrics[metric].name} over time`}
              kind={metrics[metric].kind}
              {...chart}
              running={immatureFrom(points, metric) ?? chart.running}
              lines={comparedLines(
                metrics[metric].name,
                points,
                (point) => point[metric],
                chart.comparedName,
                compared?.timeseries,
              )}
            />
          </>
        )}
      </Card>
      <div className={styles.gap} />
      <Card
        title="Funnel"
        answer={answer}
        part={({ flowAnalytics }) => flowAnalytics?.funnel}
        path="flowAnalytics.funnel"
        beside={['flowAnalytics.stepDuration']}
        waiting={{ rows: 8 }}
        empty={({ runs }) =>
          runs > 0
            ? undefined
            : {
                title: 'No runs in this period',
                why: 'A run starts when an app shows the flow to a user.',
                next: (
                  <Link to="/apps/$app/$environment/channels" params={place}>
                    View channels
                  </Link>
                ),
              }
        }
      >
        {(funnel) => (
          <>
            <Suspense fallback={<Waiting height={320} />}>
              {version.isLoading ? (
                <Waiting height={320} />
              ) : (
                <FlowGraph funnel={funnel} manifest={version.data?.data.flowVersion?.manifest} />
              )}
            </Suspense>
            <Funnel funnel={funnel} durations={flowAnalytics?.stepDuration?.steps ?? []} />
          </>
        )}
      </Card>
      <div className={styles.gap} />
      <Card
        title="Breakdown"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="By"
            value={by}
            onChange={(value) =>
              void navigate({ search: (before) => ({ ...before, by: value as typeof by }), resetScroll: false })
            }
            data={cohortDimensions.map((value) => ({ value, label: cohorts[value] }))}
          />
        }
        answer={answer}
        part={({ flowAnalytics }) => flowAnalytics?.cohorts}
        path="flowAnalytics.cohorts"
        figures={({ nodes }) => ({
          starts: nodes[0]?.starts,
          completions: nodes[0]?.completions,
          completionRate: nodes[0]?.completionRate,
          purchases: nodes[0]?.purchases,
          flowRevenue: nodes[0]?.revenue,
        })}
        example={({ nodes }) => nodes[0] && `${nameOf(nodes[0].value)}, the first row`}
        waiting={{ rows: 6 }}
      >
        {({ nodes, totalCount }) => (
          <ReportTable
            name={cohorts[by]}
            rows={nodes}
            total={totalCount}
            most={mostCohorts}
            compared={compared?.cohorts}
            keyOf={({ value }) => value}
            label={({ value }) => nameOf(value)}
            text={({ value }) => nameOf(value)}
            file={`flow-${cohorts[by].toLowerCase()}`}
            search={{ ...search, by: search.sort }}
            sortParam="sort"
            usual="starts"
            local="all"
            columns={cohortColumns}
          />
        )}
      </Card>
      <div className={styles.gap} />
      <RecentRuns place={place} flow={place.flow} scope={scope} open={open} />
      {run && <RunDrawer place={place} flow={place.flow} id={run} close={() => open()} />}
    </>
  );
}

/** Runs of the last days may still complete or lead to purchases; starts are what they are. */
function immatureFrom(points: readonly { incomplete: boolean }[], metric: Metric): number | undefined {
  if (metric === 'starts') return undefined;
  const first = points.findIndex(({ incomplete }) => incomplete);
  return first < 0 ? undefined : first;
}
