import { lazy, Suspense } from 'react';
import type { Place } from '../scope/scope';
import type { Beginning } from './journey';

const SegmentDialog = lazy(async () => ({ default: (await import('./SegmentDialog')).SegmentDialog }));

type Props = { place: Place; begin: Beginning | undefined; close: () => void };

/** Makes a segment of what a report counts, while there is something to begin with. */
export function SegmentOf({ place, begin, close }: Props) {
  return <Suspense>{begin && <SegmentDialog place={place} begin={begin} close={close} saved={close} />}</Suspense>;
}
