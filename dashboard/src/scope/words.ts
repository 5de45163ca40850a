import { formatTime } from '../ui/format';
import type { Range } from './scope';

/** A range in words: its first and last day. */
export function words(range: Range, zone: string): string {
  const options: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric', year: 'numeric' };
  const first = formatTime(range.start, zone, options);
  const last = formatTime(new Date(range.end.getTime() - 1), zone, options);
  return first === last ? first : `${first} – ${last}`;
}
