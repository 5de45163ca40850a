import { useQuery } from '@tanstack/react-query';
import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import type { ImportedDimension } from '../../graphql/schema.gen';
import { sources } from '../../imports/sources';
import { grainOf, type Place, type ScopeSearch, toScope } from '../../scope/scope';

const seriesDocument = graphql<'ImportedTotals'>(`
  query ImportedTotals($app: ID!, $scope: ScopeInput!, $grain: Grain!) {
    app(id: $app) { importedTotals(scope: $scope) {
      leftOut sources visitors
      series(grain: $grain) { bucket visitors sessions views bounceRate averageSessionSeconds viewsPerSession }
    } }
  }`);

export type Imported = NonNullable<NonNullable<DataOf<'ImportedTotals'>['app']>['importedTotals']>;

/** Totals per day that another tool counted in the range. */
export function useImported(place: Place, search: ScopeSearch): Imported | undefined {
  const { data } = useQuery(
    query(seriesDocument, [place, search], () => {
      const now = new Date();
      return { app: place.app, scope: toScope(place, search, now), grain: grainOf(search, now) };
    }),
  );
  const found = data?.data.app?.importedTotals;
  return found && found.sources.length > 0 ? found : undefined;
}

const rowsDocument = graphql<'ImportedRows'>(`
  query ImportedRows($app: ID!, $scope: ScopeInput!, $dimension: ImportedDimension!) {
    app(id: $app) { importedTotals(scope: $scope) {
      leftOut sources
      rows(dimension: $dimension) { value visitors sessions views }
    } }
  }`);

export type ImportedRow = NonNullable<NonNullable<DataOf<'ImportedRows'>['app']>['importedTotals']>['rows'][number];

/** What another tool counted by a value; undefined where there is none, or no such dimension. */
export function useImportedRows(place: Place, search: ScopeSearch, dimension: ImportedDimension | undefined) {
  const { f, platform, segment, range, from, to, tz } = search as Record<string, unknown>;
  const { data } = useQuery({
    ...query(rowsDocument, [place, dimension, { f, platform, segment, range, from, to, tz }], () => ({
      app: place.app,
      scope: toScope(place, search, new Date()),
      dimension: dimension!,
    })),
    enabled: dimension !== undefined,
  });
  const found = data?.data.app?.importedTotals;
  return found && found.sources.length > 0 && (found.leftOut || found.rows.length > 0) ? found : undefined;
}

/** Plausible, or all tools of several. */
export const toolsOf = ({ sources: of }: { sources: Imported['sources'] }) =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(of.map((source) => sources[source].name));
