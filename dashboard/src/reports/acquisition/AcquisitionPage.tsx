import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { BreakdownReport } from '../../scope/BreakdownReport';
import { acquisitionQuery, acquisitionRoute } from './acquisition';

const dimensions = {
  ACQUISITION_CHANNEL: { name: 'Channel', filter: 'channel' },
  SOURCE: { name: 'Source', filter: 'source' },
  REFERRER: { name: 'Referrer', filter: 'referrer' },
  MEDIUM: { name: 'Medium', filter: 'medium' },
  CAMPAIGN: { name: 'Campaign', filter: 'campaign' },
  CONTENT: { name: 'Content' },
  TERM: { name: 'Term' },
  ADSET: { name: 'Ad set' },
  CREATIVE: { name: 'Creative' },
} as const;

export function AcquisitionPage() {
  const search = acquisitionRoute.useSearch();
  const place = acquisitionRoute.useParams();
  const navigate = useNavigate({ from: acquisitionRoute.fullPath });
  return (
    <BreakdownReport
      title="Acquisition"
      answer={useQuery(acquisitionQuery(place, search))}
      parts={({ app }) => ({
        series: app?.productAnalytics?.attributionSeries,
        table: app?.productAnalytics?.attribution,
      })}
      fields={{ series: 'app.productAnalytics.attributionSeries', table: 'app.productAnalytics.attribution' }}
      dimensions={dimensions}
      dimension={search.dimension ?? 'ACQUISITION_CHANNEL'}
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
