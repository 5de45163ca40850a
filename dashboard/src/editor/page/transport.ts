import { Refused } from '../../graphql/problems';
import { send } from '../../graphql/send';
import type { Flow } from '../document/document';
import type { Operation, RefusalCode, Step } from '../document/operation';
import { type Outcome, type Transport, Undelivered } from '../document/transport';
import { type DraftHead, draftDocument, editDraftDocument } from './queries';

/** The way to the draft of a flow by GraphQL. `onRead` hears what the server says of it besides. */
export function draftTransport(flow: string, onRead: (head: DraftHead) => void): Transport {
  return {
    read: () =>
      delivered(async () => {
        const { draft } = (await send(draftDocument, { flow })).data;
        onRead(draft);
        return { revision: draft.revision, document: draft.document as Flow };
      }),
    send: ({ client, sequence, baseRevision, steps }) =>
      delivered(async () => {
        const input = { flowId: flow, clientId: client, sequence, baseRevision, steps: steps as never };
        const { revision, outcomes, others, reset } = (await send(editDraftDocument, { input })).data.editDraft;
        return {
          revision,
          reset,
          outcomes: outcomes.map(({ step, inverse, refusal }): Outcome => {
            if (refusal) return { refusal: { ...refusal, code: refusal.code as RefusalCode } };
            return { step: step as Step, inverse: inverse as Operation[] };
          }),
          others: others.map(({ clientId, steps, person, ...edit }) => ({
            ...edit,
            client: clientId,
            person: person ?? null,
            steps: steps as Step[],
          })),
        };
      }),
  };
}

/** Says by its code why the server did not take something. */
async function delivered<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Undelivered(error.code, error.message, error.problems[0]?.retryAfter);
  }
}
