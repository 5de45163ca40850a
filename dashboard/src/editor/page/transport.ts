import { saveDraftDocument } from '../../flows/versions/queries';
import { Refused } from '../../graphql/problems';
import { send } from '../../graphql/send';
import { apply } from '../document/apply';
import { type Document, type Flow, open } from '../document/document';
import { isRefusal } from '../document/operation';
import { type Batch, type Outcome, type Transport, Undelivered } from '../document/transport';
import { type DraftHead, draftDocument } from './queries';

/** The way to the draft of a flow: steps are put on what the server has, and the draft is saved whole from its revision.
 * After somebody else saved, it is read again first. `onRead` hears what the server says of the flow besides. */
export function draftTransport(flow: string, onRead: (head: DraftHead) => void): Transport {
  let base: { document: Document; revision: number };
  const read = () =>
    delivered(async () => {
      const head = (await send(draftDocument, { flow })).data.flow;
      if (!head) throw new Undelivered('not_found', 'There is no such flow');
      onRead(head);
      base = { document: open(head.draft as Flow), revision: head.draftRevision };
      return { revision: base.revision, document: base.document.flow };
    });
  const save = async ({ steps }: Batch) => {
    const outcomes: Outcome[] = [];
    let { document } = base;
    for (const step of steps) {
      const done = apply(document, step);
      if (isRefusal(done)) outcomes.push({ refusal: done });
      else {
        document = done.document;
        outcomes.push({ step: done.step, inverse: done.inverse });
      }
    }
    const saved = await send(saveDraftDocument, { flow, revision: base.revision, draft: document.flow });
    base = { document, revision: saved.data.saveDraft.flow.draftRevision };
    return outcomes;
  };
  return {
    read,
    async send(batch) {
      const { revision } = base;
      try {
        const outcomes = await delivered(() => save(batch));
        return { revision: base.revision, outcomes, others: [], reset: batch.baseRevision !== revision };
      } catch (error) {
        if (!(error instanceof Undelivered) || error.code !== 'conflict') throw error;
      }
      await read();
      const outcomes = await delivered(() => save(batch));
      return { revision: base.revision, outcomes, others: [], reset: true };
    },
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
