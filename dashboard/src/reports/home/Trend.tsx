import type { UseQueryResult } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { comparedLines, LineChart } from '../../charts/LineChart';
import type { Answer } from '../../graphql/send';
import { useChart } from '../../scope/useChart';
import { Card } from '../../ui/Card';
import { Waiting } from '../../ui/Waiting';
import styles from './HomePage.module.css';
import { Metrics, metricNames } from './Metrics';
import type { Metric } from './queries';

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
            lines={comparedLines(name, series, (point) => point[metric], chart.comparedName, compared?.series)}
          />
        </>
      )}
    </Card>
  );
}

function LiveCount({ count }: { count: number | undefined }) {
  return count === undefined ? null : (
    <span className={styles.live}>
      <i aria-hidden="true" />
      {count} online now
    </span>
  );
}
