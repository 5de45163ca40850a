import { useAnnotations } from './annotations';
import { dayOf } from './calendar';
import { grainOf, rangeOf, zoneOf } from './scope';
import { useView } from './useView';

/** What every chart of a report shares: bucket, zone, which bucket is still running, and zoom by dragging. */
export function useChart(buckets: number) {
  const { search, change } = useView();
  const annotations = useAnnotations();
  const now = new Date();
  const zone = zoneOf(search);
  return {
    grain: grainOf(search, now),
    zone,
    annotations,
    running: rangeOf(search, now).end.getTime() >= now.getTime() - 60_000 ? buckets - 1 : undefined,
    zoom: (first: string, last: string) =>
      change({ range: 'custom', from: dayOf(zone, new Date(first)), to: dayOf(zone, new Date(last)) }),
  };
}
