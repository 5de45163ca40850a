import { stringifySearch } from '../app/address';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { Grain, Platform, ViewComparison, ViewPeriod, ViewScopeInput } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { filtersOfCross, toCross, writeFilter } from './filters';
import type { Period } from './range';
import { filtersOf, type Place, periodOf, type ScopeSearch } from './scope';
import { filtersOfRules } from './segments';

const document = graphql<'SavedViews'>(`
  query SavedViews($app: ID!) {
    app(id: $app) { savedViews(first: 200) { nodes {
      id name scope {
        period from to timeZone grain platform segmentId cross comparison against matchWeekdays
      }
    } } }
  }`);

export type SavedView = NonNullable<NonNullable<DataOf<'SavedViews'>['app']>['savedViews']>['nodes'][number];

/** The saved views of an app, by name. */
export const viewsQuery = (place: Place) => query(document, place.app, () => ({ app: place.app }));

const periods: Record<Period, ViewPeriod> = {
  today: 'TODAY',
  yesterday: 'YESTERDAY',
  realtime: 'LAST_30_MINUTES',
  '24h': 'LAST_24_HOURS',
  '7d': 'LAST_7_DAYS',
  '28d': 'LAST_28_DAYS',
  '30d': 'LAST_30_DAYS',
  '91d': 'LAST_91_DAYS',
  month: 'MONTH_TO_DATE',
  'last-month': 'LAST_MONTH',
  year: 'YEAR_TO_DATE',
  '12mo': 'LAST_12_MONTHS',
  all: 'ALL_TIME',
  custom: 'CUSTOM',
};
const comparisons: Record<NonNullable<ScopeSearch['compare']> | 'previous', ViewComparison> = {
  previous: 'PREVIOUS',
  year: 'YEAR',
  none: 'NONE',
  segment: 'SEGMENT',
  version: 'VERSION',
  arm: 'ARM',
};

const keyOf = <K extends string, V>(record: Record<K, V>, value: V): K | undefined =>
  (Object.keys(record) as K[]).find((key) => record[key] === value);

/** What a view keeps of an address. Without days of its own a custom range is the usual one. */
export function toViewScope(search: ScopeSearch): ViewScopeInput {
  const period = periodOf(search);
  const custom = period === 'custom' && search.from !== undefined && search.to !== undefined;
  const compare = search.compare ?? 'previous';
  const named = compare === 'segment' || compare === 'version' || compare === 'arm';
  return {
    period: custom ? 'CUSTOM' : periods[period === 'custom' ? '7d' : period],
    from: custom ? search.from : null,
    to: custom ? search.to : null,
    timeZone: search.zone ?? null,
    grain: (search.grain?.toUpperCase() as Grain | undefined) ?? null,
    platform: (search.platform?.toUpperCase() as Platform | undefined) ?? null,
    segmentId: search.segment ?? null,
    cross: toCross(filtersOf(search)) ?? null,
    comparison: named && !search.against ? 'PREVIOUS' : comparisons[compare],
    against: named ? (search.against ?? null) : null,
    matchWeekdays: search.match === 'weekday',
  };
}

/** Everything that the address says while a view is shown, so that a link needs no view to show the same. */
export function searchOf(scope: SavedView['scope'], segments: readonly { id: string; rules: unknown }[]): ScopeSearch {
  const period = keyOf(periods, scope.period) ?? '7d';
  const compare = keyOf(comparisons, scope.comparison) ?? 'previous';
  const filters = filtersOfCross(scope.cross);
  const segment = segments.find(({ id }) => id === scope.segmentId);
  return {
    range: period,
    from: scope.from ?? undefined,
    to: scope.to ?? undefined,
    zone: scope.timeZone ?? undefined,
    grain: (scope.grain?.toLowerCase() as ScopeSearch['grain']) ?? undefined,
    platform: (scope.platform?.toLowerCase() as ScopeSearch['platform']) ?? undefined,
    segment: scope.segmentId ?? undefined,
    sf: segment && filtersOfRules(segment.rules),
    f: filters.length > 0 ? filters.map(writeFilter) : undefined,
    compare: compare === 'previous' ? undefined : compare,
    against: scope.against ?? undefined,
    match: scope.matchWeekdays ? 'weekday' : undefined,
  };
}

/** Whether the address shows what a view keeps. */
export function shows(search: ScopeSearch, { scope }: SavedView): boolean {
  const written = (search: ScopeSearch) => {
    const { cross, ...kept } = toViewScope(search);
    const filters = filtersOf(search).map(writeFilter).toSorted();
    return stringifySearch({ ...kept, filters });
  };
  return written(search) === written(searchOf(scope, []));
}

const createDocument = graphql<'CreateSavedView'>(`
  mutation CreateSavedView($input: CreateSavedViewInput!) { createSavedView(input: $input) { id } }`);
const updateDocument = graphql<'UpdateSavedView'>(`
  mutation UpdateSavedView($input: UpdateSavedViewInput!) { updateSavedView(input: $input) { id } }`);
const deleteDocument = graphql<'DeleteSavedView'>(`
  mutation DeleteSavedView($input: DeleteSavedViewInput!) { deleteSavedView(input: $input) }`);

const changed = () => queryClient.invalidateQueries({ queryKey: ['SavedViews'] });

/** Saves what the address asks for under a name and gives the view's id. */
export async function createView(place: Place, search: ScopeSearch, name: string): Promise<string> {
  const { data } = await send(createDocument, { input: { appId: place.app, name, scope: toViewScope(search) } });
  await changed();
  return data.createSavedView.id;
}

export async function renameView(id: string, name: string) {
  await send(updateDocument, { input: { id, name } });
  await changed();
}

/** Puts what the address asks for into a view. */
export async function overwriteView(id: string, search: ScopeSearch) {
  await send(updateDocument, { input: { id, scope: toViewScope(search) } });
  await changed();
}

export async function deleteView(id: string) {
  await send(deleteDocument, { input: { id } });
  await changed();
}
