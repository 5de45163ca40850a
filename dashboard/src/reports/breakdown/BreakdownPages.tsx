import { useQuery } from '@tanstack/react-query';
import { BreakdownReport } from './BreakdownReport';
import {
  acquisition,
  acquisitionQuery,
  acquisitionRoute,
  places,
  placesQuery,
  placesRoute,
  technology,
  technologyQuery,
  technologyRoute,
} from './breakdowns';
import { PlacesMap } from './PlacesMap';

export function AcquisitionPage() {
  const view = acquisitionRoute.useSearch();
  const answer = useQuery(acquisitionQuery(acquisitionRoute.useParams(), view));
  return <BreakdownReport report={acquisition} view={view} answer={answer} />;
}

export function PlacesPage() {
  const view = placesRoute.useSearch();
  const answer = useQuery(placesQuery(placesRoute.useParams(), view));
  const map = (view.dimension ?? 'COUNTRY') === 'COUNTRY' && <PlacesMap view={view} answer={answer} />;
  return <BreakdownReport report={places} view={view} answer={answer} above={map} />;
}

export function TechnologyPage() {
  const view = technologyRoute.useSearch();
  const answer = useQuery(technologyQuery(technologyRoute.useParams(), view));
  return <BreakdownReport report={technology} view={view} answer={answer} />;
}
