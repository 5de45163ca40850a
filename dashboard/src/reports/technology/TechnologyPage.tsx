import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { BreakdownReport } from '../../scope/BreakdownReport';
import { technologyQuery, technologyRoute } from './technology';

const dimensions = {
  BROWSER: { name: 'Browser', filter: 'browser' },
  OS: { name: 'OS', filter: 'os' },
  DEVICE: { name: 'Device', filter: 'device' },
} as const;

export function TechnologyPage() {
  const search = technologyRoute.useSearch();
  const place = technologyRoute.useParams();
  const navigate = useNavigate({ from: technologyRoute.fullPath });
  return (
    <BreakdownReport
      title="Technology"
      answer={useQuery(technologyQuery(place, search))}
      parts={({ app }) => ({
        series: app?.productAnalytics?.technologySeries,
        table: app?.productAnalytics?.technology,
      })}
      fields={{ series: 'app.productAnalytics.technologySeries', table: 'app.productAnalytics.technology' }}
      dimensions={dimensions}
      dimension={search.dimension ?? 'BROWSER'}
      chooseDimension={(dimension) =>
        void navigate({
          search: (before) => ({ ...before, dimension, q: undefined, rows: undefined }),
          resetScroll: false,
        })
      }
      table={search}
      changeTable={({ by, order, q, rows }) =>
        void navigate({
          search: (before) => ({ ...before, by, order, q, rows }),
          resetScroll: false,
          replace: q !== search.q,
        })
      }
    />
  );
}
