import { useMemo } from 'react';
import { shareToken } from '../share/link';
import { useAnnotations } from './annotations';
import { dayOf } from './calendar';
import { comparedName, grainOf, rangeOf, zoneOf } from './scope';
import { useChange } from './useChange';
import { useView } from './useView';

/** What every chart of a report shares: bucket, zone, which bucket is still running, zoom by dragging, and the notes of a
 * bucket by a click. Each member stays the same until the chart changes by it. */
export function useChart(buckets: number) {
  const { search } = useView();
  const annotations = useAnnotations();
  const now = new Date();
  const zone = zoneOf(search);
  return {
    grain: grainOf(search, now),
    zone,
    annotations,
    comparedName: comparedName(search),
    running: rangeOf(search, now).end.getTime() >= now.getTime() - 60_000 ? buckets - 1 : undefined,
    ...useGestures(zone),
  };
}

function useGestures(zone: string) {
  const change = useChange();
  return useMemo(
    () => ({
      zoom: (first: string, last: string) =>
        change({ range: 'custom', from: dayOf(zone, new Date(first)), to: dayOf(zone, new Date(last)) }),
      open: shareToken ? undefined : (bucket: string) => change({ note: new Date(bucket).toISOString() }),
    }),
    [change, zone],
  );
}
