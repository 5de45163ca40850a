import * as v from 'valibot';
import { graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { filtersOfCross, writeFilter } from './filters';
import { filtersOf, kindOf, type Place, type ScopeSearch, toScope } from './scope';

const document = graphql<'Segments'>(`
  query Segments($app: ID!) { app(id: $app) { segments(first: 200) { nodes { id name windowDays importedCount rules } } } }`);

/** The audiences of an app, by name. */
export const segmentsQuery = (place: Place) => query(document, place.app, () => ({ app: place.app }));

const estimateDocument = graphql<'SegmentEstimate'>(`
  query SegmentEstimate($app: ID!, $environment: EnvironmentKind!, $rules: SegmentRulesInput!) {
    app(id: $app) { segmentEstimate(environment: $environment, rules: $rules) }
  }`);

/** The filters in force as rules of an audience. */
function rulesOf(place: Place, search: ScopeSearch) {
  const { platform, cross } = toScope(place, search, new Date());
  return { ...(platform && { platform }), ...(cross && { cross }) };
}

/** How many people the filters in force would make an audience of. */
export const estimateQuery = (place: Place, search: ScopeSearch) =>
  query(estimateDocument, [place, search.platform, search.f], () => ({
    app: place.app,
    environment: kindOf(place.environment),
    rules: rulesOf(place, search),
  }));

/** Whether there is something to make an audience of. */
export const hasRules = (search: ScopeSearch) => filtersOf(search).length > 0 || search.platform !== undefined;

const createDocument = graphql<'CreateSegment'>(`
  mutation CreateSegment($input: CreateSegmentInput!) { createSegment(input: $input) { id } }`);
const renameDocument = graphql<'RenameSegment'>(`
  mutation RenameSegment($input: UpdateSegmentInput!) { updateSegment(input: $input) { id } }`);
const deleteDocument = graphql<'DeleteSegment'>(`
  mutation DeleteSegment($input: DeleteSegmentInput!) { deleteSegment(input: $input) }`);

const changed = () => queryClient.invalidateQueries({ queryKey: ['Segments'] });

/** Makes an audience of the filters in force and gives its id. */
export async function createSegment(place: Place, search: ScopeSearch, name: string): Promise<string> {
  const { data } = await send(createDocument, { input: { appId: place.app, name, rules: rulesOf(place, search) } });
  await changed();
  return data.createSegment.id;
}

export async function renameSegment(id: string, name: string) {
  await send(renameDocument, { input: { id, name } });
  await changed();
}

export async function deleteSegment(id: string) {
  await send(deleteDocument, { input: { id } });
  await changed();
}

/** What a segment of sessions chooses by, as a link keeps it: its platform and its filters. Undefined for a segment that
 * chooses by more than a link can say, which is then in the link by its id alone. */
export function filtersOfRules(rules: unknown): string[] | undefined {
  const known = v.safeParse(rulesSchema, rules);
  if (!known.success) return undefined;
  const { platform, cross } = known.output;
  return [...(platform ? [`platform,${platform.toLowerCase()}`] : []), ...filtersOfCross(cross).map(writeFilter)];
}

const rulesSchema = v.strictObject({ platform: v.optional(v.string()), cross: v.optional(v.unknown()) });

/** The same of what the address asks for. */
export const filtersOfSearch = ({ platform, f = [] }: ScopeSearch): string[] => [
  ...(platform ? [`platform,${platform}`] : []),
  ...f,
];

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
