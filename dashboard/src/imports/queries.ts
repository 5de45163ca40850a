import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { EnvironmentKind, HistorySource } from '../graphql/schema.gen';
import { send, sendFile } from '../graphql/send';

const listDocument = graphql<'HistoryImports'>(`
  query HistoryImports($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) {
      historyImports(environment: $environment) {
        id source fileName state problem timeZone bytes received readBytes createdAt finishedAt
        lines stored duplicates rejected leftOut
      }
    }
  }`);

export type HistoryImport = NonNullable<NonNullable<DataOf<'HistoryImports'>['app']>['historyImports']>[number];

const isUnderWay = ({ state }: HistoryImport) => state === 'RUNNING' || state === 'REMOVING';

/** Imports of an environment, looked at again each second while one is under way. */
export const importsQuery = (app: string, environment: EnvironmentKind) => ({
  ...query(listDocument, [app, environment], () => ({ app, environment })),
  refetchInterval: ({ state }: { state: { data?: { data: DataOf<'HistoryImports'> } | undefined } }) =>
    state.data?.data.app?.historyImports?.some(isUnderWay) ? 1_000 : (false as const),
});

export const importsChanged = () => queryClient.invalidateQueries({ queryKey: ['HistoryImports'] });

const createDocument = graphql<'CreateHistoryImport'>(`
  mutation CreateHistoryImport($input: CreateHistoryImportInput!) { createHistoryImport(input: $input) { id received } }`);

const partDocument = graphql<'UploadHistoryPart'>(`
  mutation UploadHistoryPart($id: ID!, $position: Int!, $file: Upload!) {
    uploadHistoryPart(input: {id: $id, position: $position, file: $file}) { id received }
  }`);

export const startDocument = graphql<'StartHistoryImport'>(`
  mutation StartHistoryImport($id: ID!, $timeZone: String!) {
    startHistoryImport(input: {id: $id, timeZone: $timeZone}) { id state }
  }`);

export const removeDocument = graphql<'RemoveHistoryImport'>(`
  mutation RemoveHistoryImport($id: ID!) { removeHistoryImport(input: {id: $id}) }`);

/** Bytes of one request. */
const PART = 4 * 1024 * 1024;
/** A part that does not arrive is sent again, after pauses in milliseconds. */
const PAUSES = [1_000, 3_000, 10_000];

/**
 * Uploads a file in parts and returns the id of its import.
 *
 * @param told hears how many bytes are there
 */
export async function uploadHistory(
  place: { app: string; environment: EnvironmentKind },
  source: HistorySource,
  file: File,
  told: (bytes: number) => void,
): Promise<string> {
  const input = { appId: place.app, environment: place.environment, source, fileName: file.name, bytes: file.size };
  const { data } = await send(createDocument, { input });
  const { id } = data.createHistoryImport;
  for (let position = 0; position < file.size; ) {
    position = await sendPart(id, position, file);
    told(position);
  }
  return id;
}

async function sendPart(id: string, position: number, file: File): Promise<number> {
  const part = new File([file.slice(position, position + PART)], file.name);
  for (const pause of [...PAUSES, undefined]) {
    try {
      const { data } = await sendFile(partDocument, { id, position }, part);
      return data.uploadHistoryPart.received;
    } catch (error) {
      if (pause === undefined) throw error;
      await new Promise((wait) => setTimeout(wait, pause));
    }
  }
  return position;
}
