import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { LineChart } from '../../charts/LineChart';
import { useChart } from '../../scope/useChart';
import { Card } from '../../ui/Card';
import { Figures } from '../../ui/Figures';
import { More } from './More';
import { homeRevenueQuery } from './queries';
import { scopeOf } from './search';

const homeRoute = getRouteApi('/apps/$app/$environment/home');

/** What came in, as billing providers report it. */
export function Revenue() {
  const place = homeRoute.useParams();
  const scope = scopeOf(homeRoute.useSearch());
  const answer = useQuery(homeRevenueQuery(place, scope));
  const series = answer.data?.data.revenue?.series;
  const chart = useChart(series?.length ?? 0);
  return (
    <Card
      title="Net revenue"
      answer={answer}
      part={({ revenue }) => revenue?.totals}
      path="revenue.totals"
      beside={['revenue.series']}
      figures={({ net, gross, refunds, customers }) => ({ net, gross, refunds, customers })}
      waiting={{ height: 330 }}
      empty={({ gross, refunds, customers }) =>
        gross !== 0 || refunds !== 0 || customers > 0
          ? undefined
          : {
              title: 'No revenue in this period',
              why: 'Revenue comes from signed webhooks of billing providers, never from a device.',
              next: (
                <Link to="/apps/$app/$environment/settings" params={place} search={{ tab: 'money' }}>
                  Connect a billing provider
                </Link>
              ),
            }
      }
    >
      {({ net, gross, refunds, customers }) => (
        <>
          <Figures
            figures={[
              { name: 'Net', value: net, kind: 'money' },
              { name: 'Gross', value: gross, kind: 'money' },
              { name: 'Refunds', value: refunds, kind: 'money' },
              { name: 'Customers', value: customers, kind: 'count' },
            ]}
          />
          {series && (
            <LineChart
              title="Net revenue over time"
              kind="money"
              {...chart}
              lines={[{ name: 'Net', points: series.map(({ bucket, totals }) => ({ bucket, value: totals.net })) }]}
            />
          )}
          <More to="/apps/$app/$environment/revenue" />
        </>
      )}
    </Card>
  );
}
