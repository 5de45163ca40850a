import { send } from '../../graphql/send';
import { draftDocument } from './queries';

/** How long an answer waits to be taken, in milliseconds. */
const fresh = 10_000;

let early: { flow: string; at: number; answer: ReturnType<typeof askDraft> } | undefined;

/** Reads the draft of a flow. */
export const askDraft = (flow: string, signal: AbortSignal) => send(draftDocument, { flow }, signal);

/** Reads a draft while the code of the editor is still on its way. */
export function askEarly(flow: string) {
  const answer = askDraft(flow, AbortSignal.timeout(fresh));
  answer.catch(() => {}); // whoever takes it asks again
  early = { flow, at: Date.now(), answer };
}

/** What was read early of a draft, for the first who opens it; undefined when nothing was, or long ago. */
export function takeEarly(flow: string) {
  const found = early;
  early = undefined;
  return found?.flow === flow && Date.now() - found.at < fresh ? found.answer : undefined;
}
