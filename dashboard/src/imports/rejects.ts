import { graphql } from '../graphql/graphql';
import { send } from '../graphql/send';
import { downloadCsv } from '../ui/csv';
import type { HistoryImport } from './queries';

const document = graphql<'HistoryRejects'>(`
  query HistoryRejects($app: ID!, $id: ID!) {
    app(id: $app) { historyImport(id: $id) { rejects { line eventId code message } } }
  }`);

/** Gives the reader the lines of a file that were refused, with the reasons. */
export async function downloadRejects(app: string, { id, fileName }: HistoryImport): Promise<void> {
  const { data } = await send(document, { app, id });
  const rows = data.app?.historyImport?.rejects ?? [];
  downloadCsv(`${fileName} refused lines`, [
    ['line', 'event_id', 'code', 'message'],
    ...rows.map(({ line, eventId, code, message }) => [line, eventId, code, message]),
  ]);
}
