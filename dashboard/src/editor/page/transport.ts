import type { DataOf, VariablesOf } from '../../graphql/graphql';
import { Refused } from '../../graphql/problems';
import { send } from '../../graphql/send';
import type { Flow } from '../document/document';
import type { Operation, RefusalCode, Step } from '../document/operation';
import { type Answer, type Outcome, type ServerEdit, type Transport, Undelivered } from '../document/transport';
import { askDraft, takeEarly } from './early';
import { type DraftHead, editDraftDocument } from './queries';

type Edited = DataOf<'EditDraft'>['editDraft'];

/** The way to the draft of a flow. `onRead` hears what the server says of the flow besides. */
export function draftTransport(flow: string, onRead: (head: DraftHead) => void): Transport {
  let early = takeEarly(flow);
  return {
    read: () =>
      delivered(async (signal) => {
        const read = await early?.catch(() => undefined);
        early = undefined;
        const { draft } = (read ?? (await askDraft(flow, signal))).data;
        onRead(draft);
        return { revision: draft.revision, document: draft.document as Flow };
      }),
    send: ({ client, sequence, baseRevision: base, steps }) =>
      delivered(async (signal) => {
        early = undefined; // it has not what is sent
        const input = { flow, base, client, sequence, steps: steps as VariablesOf<'EditDraft'>['steps'] };
        return toAnswer((await send(editDraftDocument, input, signal)).data.editDraft);
      }),
  };
}

function toAnswer({ revision, reset, outcomes, others }: Edited): Answer {
  return { revision, reset, outcomes: outcomes.map(toOutcome), others: others.map(toEdit) };
}

function toOutcome({ step, inverse, refusal }: Edited['outcomes'][number]): Outcome {
  if (refusal) return { refusal: { ...refusal, code: refusal.code as RefusalCode } };
  return { step: step as Step, inverse: inverse as Operation[] };
}

export function toEdit({ clientId: client, steps, ...edit }: Edited['others'][number]): ServerEdit {
  return { ...edit, client, steps: steps as Step[] };
}

/** Gives the server 10 s, and says by its code why it did not take something. */
async function delivered<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await act(AbortSignal.timeout(10_000));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Undelivered(error.code, error.message, error.problems[0]?.retryAfter);
  }
}
