import { localZone } from '../scope/calendar';
import { formatTime } from './format';

/** A point in time, in the reader's zone and way. */
export function When({ at }: { at: string }) {
  return <time dateTime={at}>{formatTime(at, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}</time>;
}
