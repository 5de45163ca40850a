import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCompared } from '../../scope/useCompared';
import { BreakdownReport } from './BreakdownReport';
import { acquisition, devices, locations } from './breakdowns';
import { LocationsMap } from './LocationsMap';
import { acquisitionQuery, devicesQuery, locationsQuery } from './queries';

const acquisitionRoute = getRouteApi('/apps/$app/$environment/acquisition');
const locationsRoute = getRouteApi('/apps/$app/$environment/locations');
const devicesRoute = getRouteApi('/apps/$app/$environment/devices');

export function AcquisitionPage() {
  const view = acquisitionRoute.useSearch();
  const place = acquisitionRoute.useParams();
  const answer = useQuery(acquisitionQuery(place, view));
  const compared = useCompared(acquisitionQuery(place, view, 'compared'), view);
  return <BreakdownReport report={acquisition} view={view} answer={answer} compared={compared} />;
}

export function LocationsPage() {
  const view = locationsRoute.useSearch();
  const place = locationsRoute.useParams();
  const answer = useQuery(locationsQuery(place, view));
  const compared = useCompared(locationsQuery(place, view, 'compared'), view);
  // The table says that there is nobody, once.
  const nobody = answer.data?.data.app?.productAnalytics?.map?.nodes.length === 0;
  const map = (view.dimension ?? 'COUNTRY') === 'COUNTRY' && !nobody && <LocationsMap view={view} answer={answer} />;
  return <BreakdownReport report={locations} view={view} answer={answer} compared={compared} above={map} />;
}

export function DevicesPage() {
  const view = devicesRoute.useSearch();
  const place = devicesRoute.useParams();
  const answer = useQuery(devicesQuery(place, view));
  const compared = useCompared(devicesQuery(place, view, 'compared'), view);
  return <BreakdownReport report={devices} view={view} answer={answer} compared={compared} />;
}
