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

/** The bounds of a period at an instant, in whole days of the zone; what has not ended ends now. */
export function boundsOf(period: Exclude<Period, 'custom'>, zone: string, now: Date): Range {
  const today = dayOf(zone, now);
  const from = (day: string): Range => ({ start: startOfDay(zone, day), end: now });
  const whole = (first: string, next: string): Range => ({
    start: startOfDay(zone, first),
    end: startOfDay(zone, next),
  });
  switch (period) {
    case 'realtime':
      return { start: new Date(now.getTime() - 30 * 60_000), end: now };
    case '24h':
      return { start: new Date(now.getTime() - 24 * 3_600_000), end: now };
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

/** The range before, of the same length and ending where the range begins; or the same days a year before. */
export function precedingRange(range: Range, by: 'previous' | 'year', zone: string): Range {
  const length = range.end.getTime() - range.start.getTime();
  if (by === 'previous') return { start: new Date(range.start.getTime() - length), end: range.start };
  const start = dayOf(zone, range.start);
  const within = range.start.getTime() - startOfDay(zone, start).getTime();
  const before = new Date(startOfDay(zone, addMonths(start, -12)).getTime() + within);
  return { start: before, end: new Date(before.getTime() + length) };
}

/** The days to show before (-1) or after (1) a range: the range moved by its length in days, in the zone. */
export function neighbour(range: Range, zone: string, side: -1 | 1): { from: string; to: string } {
  const from = dayOf(zone, range.start);
  const to = dayOf(zone, new Date(range.end.getTime() - 1));
  const length = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
  return { from: addDays(from, side * length), to: addDays(to, side * length) };
}
