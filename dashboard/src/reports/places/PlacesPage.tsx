import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { BreakdownReport } from '../../scope/BreakdownReport';
import { placesQuery, placesRoute } from './places';

const dimensions = {
  COUNTRY: { name: 'Country', filter: 'country' },
  REGION: { name: 'Region', filter: 'region' },
  CITY: { name: 'City' },
} as const;

export function PlacesPage() {
  const search = placesRoute.useSearch();
  const place = placesRoute.useParams();
  const navigate = useNavigate({ from: placesRoute.fullPath });
  return (
    <BreakdownReport
      title="Places"
      answer={useQuery(placesQuery(place, search))}
      parts={({ app }) => ({
        series: app?.productAnalytics?.demographicSeries,
        table: app?.productAnalytics?.demographic,
      })}
      fields={{ series: 'app.productAnalytics.demographicSeries', table: 'app.productAnalytics.demographic' }}
      dimensions={dimensions}
      dimension={search.dimension ?? 'COUNTRY'}
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
