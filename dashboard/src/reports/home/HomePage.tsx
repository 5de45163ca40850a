import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { LineChart } from '../../charts/LineChart';
import { ScopeBar } from '../../scope/ScopeBar';
import { useChart } from '../../scope/useChart';
import { Card } from '../../ui/Card';
import { Waiting } from '../../ui/Waiting';
import { FirstEvent } from './FirstEvent';
import styles from './HomePage.module.css';
import { Metrics, metricNames } from './Metrics';
import { homeQuery, type Metric } from './queries';
import { type Overview, Ranked } from './Ranked';
import { scopeOf } from './search';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** The page that answers most questions: figures, their course, and who and what is behind them. */
export function HomePage() {
  const search = homeRoute.useSearch();
  const place = homeRoute.useParams();
  const navigate = homeRoute.useNavigate();
  const scope = scopeOf(search);
  const answer = useQuery(homeQuery(place, scope));
  const metric = search.metric ?? 'visitors';
  const reports = answer.data?.data.app?.productAnalytics;
  const chart = useChart(reports?.series?.length ?? 0);
  const choose = (metric: Metric) =>
    void navigate({
      to: '/apps/$app/$environment/home',
      params: place,
      search: { ...search, metric },
      resetScroll: false,
    });
  const cards = (
    <>
      <Card
        title={metricNames[metric].name}
        answer={answer}
        part={({ app }) => app?.productAnalytics?.series}
        path="app.productAnalytics.series"
        beside={['app.productAnalytics.summary']}
        figures={() => ({ [metric]: reports?.summary?.[metric], ...reports?.summary })}
        waiting={{ height: 356 }}
        actions={<LiveCount count={answer.data?.data.app?.live?.count} />}
      >
        {(series) => (
          <>
            {reports?.summary ? (
              <Metrics
                now={reports.summary}
                before={answer.data?.data.app?.compared?.summary}
                metric={metric}
                choose={choose}
              />
            ) : (
              <Waiting height={76} />
            )}
            <LineChart
              title={`${metricNames[metric].name} over time`}
              kind={metricNames[metric].kind}
              {...chart}
              lines={[
                {
                  name: metricNames[metric].name,
                  points: series.map((point) => ({ bucket: point.bucket, value: point[metric] })),
                },
                ...(answer.data?.data.app?.compared?.series
                  ? [
                      {
                        name: chart.comparedName,
                        compared: true,
                        points: answer.data.data.app.compared.series
                          .slice(0, series.length)
                          .map((point) => ({ bucket: point.bucket, value: point[metric] })),
                      },
                    ]
                  : []),
              ]}
            />
          </>
        )}
      </Card>
      <div className={styles.lists}>
        {(['sources', 'pages', 'locations', 'devices', 'events'] as const).map((group) => (
          <Ranked
            key={group}
            group={group}
            answer={answer}
            part={({ app }): Overview | null | undefined => app?.productAnalytics?.overview}
          />
        ))}
      </div>
    </>
  );
  return (
    <>
      <ScopeBar title="Home" />
      {reports?.summary?.sessions === 0 && !scope.f ? <FirstEvent place={place}>{cards}</FirstEvent> : cards}
      <p className={styles.asOf}>
        {answer.data && `As of ${answer.data.at.toLocaleTimeString()}, time zone: ${chart.zone}`}
      </p>
    </>
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
