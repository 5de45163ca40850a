import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { EnvironmentKind } from '../graphql/schema.gen';

const exportDocument = graphql<'ParquetExport'>(`
  query ParquetExport($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) {
      parquetExport(environment: $environment) {
        id endpoint region bucket prefix accessKeyId frequency nextRunAt succeededAt
        lastRun { state startedAt finishedAt files unchanged removed rows bytes problem }
      }
    }
  }`);

export type ParquetExport = NonNullable<NonNullable<DataOf<'ParquetExport'>['app']>['parquetExport']>;

const isSoon = (at: string | null) => at !== null && Date.parse(at) < Date.now() + 5_000;

/** The export of an environment, looked at again each second while a run is under way or about to begin. */
export const exportQuery = (app: string, environment: EnvironmentKind) => ({
  ...query(exportDocument, [app, environment], () => ({ app, environment })),
  refetchInterval: ({ state }: { state: { data?: { data: DataOf<'ParquetExport'> } | undefined } }) => {
    const found = state.data?.data.app?.parquetExport;
    return found && (found.lastRun?.state === 'RUNNING' || isSoon(found.nextRunAt)) ? 1_000 : (false as const);
  },
});

export const exportChanged = () => queryClient.invalidateQueries({ queryKey: ['ParquetExport'] });

export const saveExportDocument = graphql<'SaveParquetExport'>(`
  mutation SaveParquetExport($input: SaveParquetExportInput!) { saveParquetExport(input: $input) { id } }`);

export const checkExportDocument = graphql<'CheckParquetExport'>(`
  mutation CheckParquetExport($input: CheckParquetExportInput!) {
    checkParquetExport(input: $input) { works problem }
  }`);

export const runExportDocument = graphql<'RunParquetExport'>(`
  mutation RunParquetExport($id: ID!) { runParquetExport(input: {id: $id}) { id } }`);

export const removeExportDocument = graphql<'RemoveParquetExport'>(`
  mutation RemoveParquetExport($id: ID!) { removeParquetExport(input: {id: $id}) }`);
