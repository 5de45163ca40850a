import * as v from 'valibot';
import type { EnvironmentKind, Grain, Platform, ScopeInput } from '../graphql/schema.gen';
import { addDays, isZone, localZone, startOfDay } from './calendar';
import { type Filter, parseFilter, toCross } from './filters';
import { boundsOf, endOfMinute, type Period, periods, precedingRange } from './range';

/** What the address says of the scope, valid or left out; a bad link opens with what it got right. */
const choice = <const T extends readonly string[]>(values: T) =>
  v.optional(v.fallback(v.optional(v.picklist(values)), undefined));

export const scopeSchema = v.object({
  /** A period by name; `custom` has from and to. */
  range: choice(periods),
  from: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.isoDate())), undefined)),
  to: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.isoDate())), undefined)),
  /** What is shown beside it; left out, the previous period. A segment, version or arm is named by `against`. */
  compare: choice(['year', 'none', 'segment', 'version', 'arm']),
  against: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** Whether the period that is compared with begins on the same day of the week. */
  match: choice(['weekday']),
  grain: choice(['hour', 'day', 'week', 'month']),
  zone: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.check(isZone))), undefined)),
  platform: choice(['web', 'ios', 'android', 'mobile']),
  segment: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined)),
  /** What the segment chose by when the link was made, as platform and filters: the link outlives the segment. */
  sf: v.optional(v.fallback(v.optional(v.array(v.string())), undefined)),
  /** The saved view that the rest was once: the rest is what is shown, also when the view was changed or deleted. */
  view: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined)),
  /** The bucket of a chart whose notes are open. */
  note: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.isoTimestamp())), undefined)),
  /** One filter each, as parseFilter reads it. */
  f: v.optional(v.fallback(v.optional(v.array(v.string())), undefined)),
});

/** The scope's part of an address. */
export type ScopeSearch = v.InferOutput<typeof scopeSchema>;

/** An app's environment, as the path says it. */
export type Place = { app: string; environment: string };

export const kindOf = (environment: string): EnvironmentKind => (environment === 'test' ? 'TEST' : 'LIVE');

/** The period that is shown when the address names none. */
export const defaultPeriod: Period = '7d';

export const periodOf = ({ range }: ScopeSearch): Period => range ?? defaultPeriod;
export const zoneOf = ({ zone }: ScopeSearch): string => zone ?? localZone();
export const filtersOf = ({ f }: ScopeSearch): Filter[] => (f ?? []).flatMap((text) => parseFilter(text) ?? []);

/** From start, included, to end, excluded. */
export type Range = { start: Date; end: Date };

/** The range in force at an instant. */
export function rangeOf(search: ScopeSearch, now: Date): Range {
  const zone = zoneOf(search);
  const period = periodOf(search);
  if (period === 'custom' && search.from && search.to) {
    const [from, to] = search.from <= search.to ? [search.from, search.to] : [search.to, search.from];
    // A range that has not ended yet ends with this minute: what is to come is no time without visitors.
    return { start: startOfDay(zone, from), end: earlier(startOfDay(zone, addDays(to, 1)), endOfMinute(now)) };
  }
  return boundsOf(period === 'custom' ? '7d' : period, zone, now);
}

const earlier = (a: Date, b: Date) => (a < b ? a : b);

/** The range that the shown one is compared with, which is the same one for whoever compares people; undefined for none. */
export function comparedRange(search: ScopeSearch, now: Date): Range | undefined {
  const { compare, against, match } = search;
  if (compare === 'none') return undefined;
  if (compare !== undefined && compare !== 'year') return against ? rangeOf(search, now) : undefined;
  if (periodOf(search) === 'all') return undefined;
  return precedingRange(
    rangeOf(search, now),
    compare === 'year' ? 'year' : 'previous',
    zoneOf(search),
    match === 'weekday',
  );
}

/** What is compared with, in the words of a legend and of a table's column. */
export const comparedNames: Record<NonNullable<ScopeSearch['compare']> | 'previous', string> = {
  previous: 'Previous period',
  year: 'Last year',
  none: '',
  segment: 'Segment',
  version: 'Version',
  arm: 'Variant',
};

export const comparedName = ({ compare }: ScopeSearch): string => comparedNames[compare ?? 'previous'];

/** Whether a report of sessions has something beside it: versions and arms are compared on the page of their flow. */
export const isCompared = (search: ScopeSearch): boolean =>
  search.compare !== 'version' && search.compare !== 'arm' && comparedRange(search, new Date()) !== undefined;

/** Bucket of charts: what the address says where the range allows it, else what suits the range's length. */
export function grainOf(search: ScopeSearch, now: Date): Grain {
  const allowed = grainsOf(search, now);
  const asked = search.grain?.toUpperCase() as Grain | undefined;
  if (asked && allowed.includes(asked)) return asked;
  const days = lengthOf(rangeOf(search, now));
  if (days <= 2) return 'HOUR';
  return days <= 100 ? 'DAY' : days <= 500 ? 'WEEK' : 'MONTH';
}

/** The buckets that a chart of the range can have. */
export function grainsOf(search: ScopeSearch, now: Date): Grain[] {
  const days = lengthOf(rangeOf(search, now));
  const grains: Grain[] = [];
  if (days <= 14) grains.push('HOUR');
  if (days > 1 && days <= 1000) grains.push('DAY');
  if (days > 7) grains.push('WEEK');
  if (days > 31) grains.push('MONTH');
  return grains;
}

const lengthOf = ({ start, end }: Range) => (end.getTime() - start.getTime()) / 86_400_000;

/** Whether a report answers for what is shown, or for what that is compared with. */
export type Side = 'shown' | 'compared';

/** The input of a side of a report. */
export function scopeOfSide(at: Place, search: ScopeSearch, now: Date, side: Side): ScopeInput {
  if (side === 'shown') return toScope(at, search, now);
  const segment = search.compare === 'segment' ? search.against : search.segment;
  return toScope(at, { ...search, segment }, now, comparedRange(search, now));
}

/** What of an address a side of a report depends on: what is shown stays the same, whatever stands beside it. */
export function dependsOn<Search extends ScopeSearch>(search: Search, side: Side) {
  const { compare, against, match, ...own } = search;
  return side === 'shown' ? own : search;
}

/** The input of every report. */
export function toScope(at: Place, search: ScopeSearch, now: Date, range: Range = rangeOf(search, now)): ScopeInput {
  const cross = toCross(filtersOf(search));
  return {
    environment: kindOf(at.environment),
    timeZone: zoneOf(search),
    range: { start: range.start.toISOString(), end: range.end.toISOString() },
    ...(search.platform && { platform: search.platform.toUpperCase() as Platform }),
    ...(search.segment && { segmentId: search.segment }),
    ...(cross && { cross }),
  };
}
