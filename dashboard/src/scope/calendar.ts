/** Dates of a time zone, by the zone data of the browser. A day is written YYYY-MM-DD. */
export type Day = string;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string): Intl.DateTimeFormat {
  let found = formats.get(zone);
  if (!found) {
    found = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(zone, found);
  }
  return found;
}

/** Whether the browser knows the zone. */
export function isZone(zone: string): boolean {
  try {
    format(zone);
    return true;
  } catch {
    return false;
  }
}

let local: string | undefined;

/** The zone of the reader, as it was when the page was opened: asking the browser takes a millisecond, and every part of
 * a report asks. */
export const localZone = (): string => (local ??= Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC');

/** Milliseconds that the zone's clock is ahead of UTC at an instant. */
function offset(zone: string, at: Date): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at.getTime() / 1000) * 1000;
}

/** The day that an instant belongs to in the zone. */
export function dayOf(zone: string, at: Date): Day {
  return new Date(at.getTime() + offset(zone, at)).toISOString().slice(0, 10);
}

/** When a day begins in the zone: its midnight, or the first instant after it where the clock skips midnight. */
export function startOfDay(zone: string, day: Day): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The zone's offset a day before and a day after are the only two that can hold at this midnight.
  const candidates = [-1, 1].map((side) => midnight - offset(zone, new Date(midnight + side * 86_400_000)));
  const exact = candidates.filter((instant) => instant + offset(zone, new Date(instant)) === midnight);
  // Without an exact one the clock skips midnight: the day begins at the skip, which is where the later offset starts.
  return new Date(
    exact.length > 0 ? Math.min(...exact) : firstOf(zone, day, Math.min(...candidates), Math.max(...candidates)),
  );
}

/** The first instant of a day between two. */
function firstOf(zone: string, day: Day, before: number, after: number): number {
  let [low, high] = [before, after];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (dayOf(zone, new Date(middle)) >= day) high = middle;
    else low = middle;
  }
  return high;
}

/** A day that many days later; negative is earlier. */
export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

/** The same day that many months later, or the last of its month. */
export function addMonths(day: Day, count: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + count + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + count, Math.min(date, last))).toISOString().slice(0, 10);
}

export const firstOfMonth = (day: Day): Day => `${day.slice(0, 7)}-01`;
export const firstOfYear = (day: Day): Day => `${day.slice(0, 4)}-01-01`;

/** Days from one to another. */
export const daysBetween = (from: Day, to: Day): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/** Whether text is a day of the calendar. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
