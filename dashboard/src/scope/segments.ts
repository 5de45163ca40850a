import * as v from 'valibot';
import { graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import type { SegmentRulesInput } from '../graphql/schema.gen';
import { filtersOfCross, writeFilter } from './filters';
import { filtersOf, type Place, type ScopeSearch, toScope } from './scope';

const document = graphql<'Segments'>(`
  query Segments($app: ID!) { app(id: $app) { segments(first: 200) { nodes { id name windowDays importedCount rules } } } }`);

/** The audiences of an app, by name. */
export const segmentsQuery = (place: Place) => query(document, place.app, () => ({ app: place.app }));

/** The filters in force as rules of an audience. */
export function rulesOf(place: Place, search: ScopeSearch): SegmentRulesInput {
  const { platform, cross } = toScope(place, search, new Date());
  return { ...(platform && { platform }), ...(cross && { cross }) };
}

/** Whether there is something to make an audience of. */
export const hasRules = (search: ScopeSearch) => filtersOf(search).length > 0 || search.platform !== undefined;

/** What a segment of sessions chooses by, as a link keeps it: its platform and its filters. Undefined for a segment that
 * chooses by more than a link can say, which is then in the link by its id alone. */
export function filtersOfRules(rules: unknown): string[] | undefined {
  const known = v.safeParse(rulesSchema, rules);
  if (!known.success) return undefined;
  const { platform, cross } = known.output;
  return [...(platform ? [`platform,${platform.toLowerCase()}`] : []), ...filtersOfCross(cross).map(writeFilter)];
}

const rulesSchema = v.strictObject({ platform: v.optional(v.string()), cross: v.optional(v.unknown()) });

/** Whether two links keep the same, in whatever order. */
export const sameFilters = (a: readonly string[], b: readonly string[] | undefined): boolean =>
  b !== undefined && a.toSorted().join('\n') === b.toSorted().join('\n');

/** The scope with what its segment chose by in the segment's place. */
export function expanded({ sf = [], f = [], platform }: ScopeSearch): ScopeSearch {
  const own = sf.find((text) => text.startsWith('platform,'))?.slice('platform,'.length);
  return {
    segment: undefined,
    sf: undefined,
    platform: platform ?? (own as ScopeSearch['platform']),
    f: [...new Set([...sf.filter((text) => !text.startsWith('platform,')), ...f])],
  };
}
