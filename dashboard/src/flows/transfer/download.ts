import { type Problem, Refused } from '../../graphql/problems';
import { Unreachable } from '../../graphql/reachable';
import { giveFile } from '../../ui/csv';
import { fileNameIn } from './files';

/** Gives the reader a flow as one file. It throws what send does. */
export async function downloadFlow(flow: string, name: string): Promise<void> {
  const answer = await fetch(`/v1/flows/${encodeURIComponent(flow)}/export`, { credentials: 'same-origin' }).catch(
    (error: unknown) => {
      throw new Unreachable(String(error));
    },
  );
  if (!answer.ok) {
    const said = (await answer.json().catch(() => ({}))) as Partial<Problem>;
    throw new Refused([
      { code: said.code ?? 'internal', message: said.message ?? `the server answered ${answer.status}` },
    ]);
  }
  giveFile(fileNameIn(answer.headers.get('Content-Disposition')) ?? `${name}.zip`, await answer.blob());
}
