import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCompared } from '../../scope/useCompared';
import { BreakdownReport } from './BreakdownReport';
import { acquisition, places, technology } from './breakdowns';
import { PlacesMap } from './PlacesMap';
import { acquisitionQuery, placesQuery, technologyQuery } from './queries';

const acquisitionRoute = getRouteApi('/apps/$app/$environment/acquisition');
const placesRoute = getRouteApi('/apps/$app/$environment/places');
const technologyRoute = getRouteApi('/apps/$app/$environment/technology');

export function AcquisitionPage() {
  const view = acquisitionRoute.useSearch();
  const place = acquisitionRoute.useParams();
  const answer = useQuery(acquisitionQuery(place, view));
  const compared = useCompared(acquisitionQuery(place, view, 'compared'), view);
  return <BreakdownReport report={acquisition} view={view} answer={answer} compared={compared} />;
}

export function PlacesPage() {
  const view = placesRoute.useSearch();
  const place = placesRoute.useParams();
  const answer = useQuery(placesQuery(place, view));
  const compared = useCompared(placesQuery(place, view, 'compared'), view);
  const map = (view.dimension ?? 'COUNTRY') === 'COUNTRY' && <PlacesMap view={view} answer={answer} />;
  return <BreakdownReport report={places} view={view} answer={answer} compared={compared} above={map} />;
}

export function TechnologyPage() {
  const view = technologyRoute.useSearch();
  const place = technologyRoute.useParams();
  const answer = useQuery(technologyQuery(place, view));
  const compared = useCompared(technologyQuery(place, view, 'compared'), view);
  return <BreakdownReport report={technology} view={view} answer={answer} compared={compared} />;
}
