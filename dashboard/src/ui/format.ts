/** Figures of reports as text, in the reader's locale. `null` is a figure without a value: a ratio without a
 * denominator. A time is milliseconds since 1970. */
export type FigureKind = 'count' | 'money' | 'share' | 'seconds' | 'number' | 'time';

const locale = typeof navigator === 'undefined' ? 'en' : navigator.language;

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
const shortMoney = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
});
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
const exactShare = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 });
const exactDecimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });

/** What a figure without a value shows. */
export const dash = '–';

/** As short as it can be read: 12.4k. The exact one is formatExact's. */
export function formatShort(value: number | null | undefined, kind: FigureKind): string {
  if (value == null) return dash;
  switch (kind) {
    case 'count':
      return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);
    case 'money':
      return Math.abs(value) < 10_000 ? money.format(value) : shortMoney.format(value);
    case 'share':
      return share.format(value);
    case 'seconds':
      return formatSeconds(value);
    case 'number':
      return decimal.format(value);
    case 'time':
      return formatAgo(new Date(value).toISOString());
  }
}

const alignedShare = new Intl.NumberFormat(locale, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const alignedDecimal = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** The short one in a column: as many digits in every row, so that they stand below each other. */
export function formatAligned(value: number | null | undefined, kind: FigureKind): string {
  if (value != null && kind === 'share') return alignedShare.format(value);
  if (value != null && kind === 'number') return alignedDecimal.format(value);
  return formatShort(value, kind);
}

/** A round figure of an axis. */
export const formatTick = (value: number, kind: FigureKind): string =>
  kind === 'money' ? shortMoney.format(value) : formatShort(value, kind);

/** With all its digits. */
export function formatExact(value: number | null | undefined, kind: FigureKind): string {
  if (value == null) return dash;
  switch (kind) {
    case 'count':
      return whole.format(value);
    case 'money':
      return money.format(value);
    case 'share':
      return exactShare.format(value);
    case 'seconds':
      return `${decimal.format(value)} s`;
    case 'number':
      return exactDecimal.format(value);
    case 'time':
      return new Date(value).toLocaleString(locale);
  }
}

/** 320 ms, 48s, 3m 07s, 2h 05m, 3d 4h. */
export function formatSeconds(value: number): string {
  if (value > 0 && value < 0.9995) return `${Math.max(1, Math.round(value * 1000))}\u00a0ms`;
  const total = Math.round(value);
  if (total < 60) return `${total}s`;
  if (total < 3600) return `${Math.floor(total / 60)}m ${pad(total % 60)}s`;
  if (total < 86_400) return `${Math.floor(total / 3600)}h ${pad(Math.floor((total % 3600) / 60))}m`;
  return `${Math.floor(total / 86_400)}d ${Math.floor((total % 86_400) / 3600)}h`;
}

const pad = (value: number) => String(value).padStart(2, '0');

/** How many there are of something: 1 view, 2 views. */
export const countOf = (count: number, one: string): string =>
  `${formatExact(count, 'count')} ${count === 1 ? one : `${one}s`}`;

/** How much a figure changed: +12 %, null when there is nothing to compare with. */
export function changeOf(now: number | null | undefined, before: number | null | undefined): number | null {
  if (now == null || before == null) return null;
  if (before === 0) return now === 0 ? 0 : null;
  return (now - before) / Math.abs(before);
}

export function formatChange(change: number): string {
  const rounded = Math.round(change * 1000) / 10;
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: Math.abs(rounded) < 10 ? 1 : 0 }).format(Math.abs(rounded))}%`;
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** A point in time in a zone, in the reader's way. */
export function formatTime(at: string | Date, zone: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${zone} ${JSON.stringify(options)}`;
  let format = dayFormats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
    dayFormats.set(key, format);
  }
  return format.format(typeof at === 'string' ? new Date(at) : at);
}

/** A bucket of a chart, as its axis names it, or in full. */
export function formatBucket(at: string, zone: string, grain: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH', full = false): string {
  switch (grain) {
    case 'HOUR':
      return formatTime(
        at,
        zone,
        full
          ? { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }
          : { hour: '2-digit', minute: '2-digit' },
      );
    case 'DAY':
      return formatTime(
        at,
        zone,
        full
          ? { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' }
          : { month: 'short', day: 'numeric' },
      );
    case 'WEEK':
      return full
        ? `Week of ${formatTime(at, zone, { month: 'short', day: 'numeric', year: 'numeric' })}`
        : formatTime(at, zone, { month: 'short', day: 'numeric' });
    case 'MONTH':
      return formatTime(at, zone, full ? { month: 'long', year: 'numeric' } : { month: 'short', year: '2-digit' });
  }
}

/** How long ago: now, 3m, 2h, 5d. */
export function formatAgo(at: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  if (seconds < 60) return 'now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  return `${Math.floor(seconds / 86_400)}d ago`;
}

const regions = new Intl.DisplayNames([locale], { type: 'region' });

/** The name of a country by its code; the code where it is none. */
export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code;
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}
