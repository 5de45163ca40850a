import type { UseQueryResult } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { comparedLines, type Line, LineChart } from '../../charts/LineChart';
import type { Answer } from '../../graphql/send';
import { useChart } from '../../scope/useChart';
import { Card } from '../../ui/Card';
import { countOf } from '../../ui/format';
import { Waiting } from '../../ui/Waiting';
import { type Imported, toolsOf, useImported } from '../imported/queries';
import styles from './HomePage.module.css';
import { Metrics, metricNames } from './Metrics';
import type { Metric } from './queries';
import { scopeOf } from './search';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** The metrics of the range, one of them over time. */
export function Trend({ answer }: { answer: UseQueryResult<Answer<'Home'>> }) {
  const search = homeRoute.useSearch();
  const place = homeRoute.useParams();
  const navigate = homeRoute.useNavigate();
  const metric = search.metric ?? 'visitors';
  const app = answer.data?.data.app;
  const summary = app?.productAnalytics?.summary;
  const compared = app?.compared;
  const chart = useChart(app?.productAnalytics?.series?.length ?? 0);
  const { name, kind } = metricNames[metric];
  const imported = useImported(place, scopeOf(search));
  const choose = (metric: Metric) =>
    void navigate({
      to: '/apps/$app/$environment/home',
      params: place,
      search: { ...search, metric },
      resetScroll: false,
    });
  return (
    <Card
      title={name}
      answer={answer}
      part={({ app }) => app?.productAnalytics?.series}
      path="app.productAnalytics.series"
      beside={['app.productAnalytics.summary']}
      figures={() => ({ [metric]: summary?.[metric], ...summary })}
      waiting={{ height: 356 }}
      actions={<LiveCount count={app?.live?.count} />}
    >
      {(series) => (
        <>
          {summary ? (
            <Metrics now={summary} before={compared?.summary} metric={metric} choose={choose} />
          ) : (
            <Waiting height={76} />
          )}
          <LineChart
            title={`${name} over time`}
            kind={kind}
            {...chart}
            lines={[
              ...comparedLines(name, series, (point) => point[metric], chart.comparedName, compared?.series),
              ...importedLine(imported, metric, series),
            ]}
          />
          {imported && <p className={styles.imported}>{aboutImported(imported)}</p>}
        </>
      )}
    </Card>
  );
}

/** What another tool counted, at the buckets of the series. */
function importedLine(imported: Imported | undefined, metric: Metric, series: readonly { bucket: string }[]): Line[] {
  if (!imported || imported.series.length === 0) return [];
  const values = new Map(
    imported.series.map((point) => [point.bucket, metric in point ? point[metric as keyof typeof point] : null]),
  );
  const points = series.map(({ bucket }) => ({ bucket, value: (values.get(bucket) ?? null) as number | null }));
  return points.some(({ value }) => value !== null)
    ? [{ name: `Imported from ${toolsOf(imported)}`, hatched: true, points }]
    : [];
}

function aboutImported(imported: Imported): string {
  const from = `Totals imported from ${toolsOf(imported)}`;
  if (imported.leftOut) return `${from} are left out: they can’t be limited by filters, platforms or segments.`;
  if (imported.series.length === 0) return `${from} are of days and not shown by hour.`;
  return `Hatched: ${countOf(imported.visitors, 'visitor')}. ${from} are of days, and not part of the other numbers.`;
}

function LiveCount({ count }: { count: number | undefined }) {
  return count === undefined ? null : (
    <span className={styles.live}>
      <i aria-hidden="true" />
      {count} online now
    </span>
  );
}
