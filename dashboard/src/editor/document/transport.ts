import type { Flow } from './document';
import type { NodeId, Operation, RefusalCode, Step } from './operation';

/** Steps that go to the server together. The same `client` and `sequence` always have the same steps, so that a batch can
 * be sent again when its answer was lost. */
export type Batch = { client: string; sequence: number; baseRevision: number; steps: readonly Step[] };

/** What came of a step: the step as applied with its inverse, or why it was not, and who removed its node. */
export type Outcome =
  | { step: Step; inverse: readonly Operation[] }
  | { refusal: { code: RefusalCode; node: NodeId; by?: string | null } };

/** An edit of a draft as the server keeps it, of anybody. */
export type ServerEdit = {
  revision: number;
  client: string;
  sequence: number;
  person: string | null;
  steps: readonly Step[];
};

/** `others` are the edits between the batch's base and `revision`; with `reset` they can't be told. */
export type Answer = { revision: number; outcomes: Outcome[]; others: ServerEdit[]; reset: boolean };

export type Draft = { revision: number; document: Flow };

/** The way to the server. Both reject with Undelivered when the server said why not, and with anything else when it was
 * not reached, or did not answer within 10 s. */
export type Transport = { send(batch: Batch): Promise<Answer>; read(): Promise<Draft> };

/** The server did not take a batch: `code` is that of the GraphQL error. */
export class Undelivered extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** With rate_limited: after how many seconds to try again. */
    readonly retryAfter = 1,
  ) {
    super(message);
  }
}
