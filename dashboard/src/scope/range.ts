import type { Grain } from '../graphql/schema.gen';
import { addDays, addMonths, dayOf, firstOfMonth, firstOfYear, startOfDay } from './calendar';
import type { Range } from './scope';

/** Periods by name, in the order of the menu. */
export const periods = [
  'today',
  'yesterday',
  'realtime',
  '24h',
  '7d',
  '28d',
  '30d',
  '91d',
  'month',
  'last-month',
  'year',
  '12mo',
  'all',
  'custom',
] as const;
export type Period = (typeof periods)[number];

/** What a period is called, and its key in the keyboard map. */
export const periodNames: Record<Period, { name: string; key?: string }> = {
  today: { name: 'Today', key: 'd' },
  yesterday: { name: 'Yesterday', key: 'e' },
  realtime: { name: 'Last 30 minutes', key: 'r' },
  '24h': { name: 'Last 24 hours', key: 'h' },
  '7d': { name: 'Last 7 days', key: 'w' },
  '28d': { name: 'Last 28 days', key: 'f' },
  '30d': { name: 'Last 30 days', key: 't' },
  '91d': { name: 'Last 91 days', key: 'n' },
  month: { name: 'Month to date', key: 'm' },
  'last-month': { name: 'Last month', key: 'p' },
  year: { name: 'Year to date', key: 'y' },
  '12mo': { name: 'Last 12 months', key: 'l' },
  all: { name: 'All time', key: 'a' },
  custom: { name: 'Custom range', key: 'c' },
};

/** How far back "all time" goes: as far as a range may. */
const longest = 1826;

/** The end of the minute of an instant, with which ranges end that have not ended: who opens a report at the same time
 * as others asks for the same, which the server counts once. */
export const endOfMinute = (now: Date): Date => new Date(Math.ceil(now.getTime() / 60_000) * 60_000);

/** The bounds of a period at an instant, in whole days of the zone; what has not ended ends with this minute. */
export function boundsOf(period: Exclude<Period, 'custom'>, zone: string, now: Date): Range {
  const today = dayOf(zone, now);
  const end = endOfMinute(now);
  const from = (day: string): Range => ({ start: startOfDay(zone, day), end });
  const whole = (first: string, next: string): Range => ({
    start: startOfDay(zone, first),
    end: startOfDay(zone, next),
  });
  switch (period) {
    case 'realtime':
      return { start: new Date(end.getTime() - 30 * 60_000), end };
    case '24h':
      return { start: new Date(end.getTime() - 24 * 3_600_000), end };
    case 'today':
      return from(today);
    case 'yesterday':
      return whole(addDays(today, -1), today);
    case 'month':
      return from(firstOfMonth(today));
    case 'last-month':
      return whole(addMonths(firstOfMonth(today), -1), firstOfMonth(today));
    case 'year':
      return from(firstOfYear(today));
    case '12mo':
      return from(addMonths(firstOfMonth(today), -11));
    case 'all':
      return from(addDays(today, -longest));
    default:
      return from(addDays(today, 1 - Number.parseInt(period, 10)));
  }
}

/** The range before, of the same length and ending where the range begins; or the same days a year before. With
 * `weekdays` it begins on the same day of the week: as few whole weeks before as do not overlap, or 52 weeks. */
export function precedingRange(range: Range, by: 'previous' | 'year', zone: string, weekdays = false): Range {
  const length = range.end.getTime() - range.start.getTime();
  if (by === 'previous' && !weekdays) return { start: new Date(range.start.getTime() - length), end: range.start };
  const start = dayOf(zone, range.start);
  const within = range.start.getTime() - startOfDay(zone, start).getTime();
  const day = () => {
    if (!weekdays) return addMonths(start, -12);
    return addDays(start, by === 'year' ? -364 : -7 * Math.ceil(length / (7 * 86_400_000)));
  };
  const before = new Date(startOfDay(zone, day()).getTime() + within);
  return { start: before, end: new Date(before.getTime() + length) };
}

/** Where the bucket of a chart ends that begins at an instant. */
export function bucketEnd(zone: string, start: Date, grain: Grain): Date {
  if (grain === 'HOUR') return new Date(start.getTime() + 3_600_000);
  const day = dayOf(zone, start);
  return startOfDay(zone, grain === 'MONTH' ? addMonths(firstOfMonth(day), 1) : addDays(day, grain === 'WEEK' ? 7 : 1));
}

/** The days to show before (-1) or after (1) a range: the range moved by its length in days, in the zone. */
export function neighbour(range: Range, zone: string, side: -1 | 1): { from: string; to: string } {
  const from = dayOf(zone, range.start);
  const to = dayOf(zone, new Date(range.end.getTime() - 1));
  const length = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
  return { from: addDays(from, side * length), to: addDays(to, side * length) };
}
