import { apply } from './apply';
import { canonical } from './canonical';
import { type Document, open } from './document';
import type { Editor } from './editor';
import { isRefusal, type Step } from './operation';
import { type Kept, type PendingStore, sendLost, take } from './pending';
import { type Answer, type Batch, type Outcome, type ServerEdit, type Transport, Undelivered } from './transport';
import type { Edit, Foreign } from './undo';

/** A batch at most each 100 ms (the server takes 20 a second), and a copy in the browser each 300 ms. */
const sendEvery = 100;
const keepEvery = 300;
const longestWait = 30_000;
/** What the server says to whom it takes nothing from, until something is done about it. */
const stops = new Set(['conflict', 'forbidden', 'unauthenticated', 'not_found']);

const sameStep = (a: Step, b: Step) => canonical(a.operations) === canonical(b.operations);

type Sending = { batch: Batch; edits: readonly Edit[] };

/**
 * Sends the edits of an editor to the server and takes in what others do. The server's order decides: an edit that comes
 * before mine goes below those that are not acknowledged, and what can't be applied any more is told (editor.refused).
 *
 * One batch is under way at a time and keeps its bytes until it is answered; until then a drag rewrites what is unsent.
 * Whatever is not acknowledged is in the store too, before it is sent, so that the next open sends it again.
 */
export class Sync {
  #client = crypto.randomUUID() as string;
  #held: Promise<() => void>[] = [];
  #acknowledged = 0;
  #revision: number;
  /** What the server has, at #revision. */
  #confirmed: Document;
  #sending: Sending | undefined;
  /** Whether #sending is on its way, and not waiting to be tried again. */
  #delivering = false;
  #pending: Edit[] = [];
  #heard: ServerEdit[] = [];
  #sendTimer: ReturnType<typeof setTimeout> | undefined;
  #keepTimer: ReturnType<typeof setTimeout> | undefined;
  #readTimer: ReturnType<typeof setTimeout> | undefined;
  #lastSent = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #resetting = false;
  #stopped = false;
  #least = 0;
  #largest = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(
    readonly editor: Editor,
    readonly flow: string,
    revision: number,
    private readonly transport: Transport,
    private readonly store: PendingStore,
  ) {
    this.#hold();
    this.#revision = revision;
    this.#confirmed = editor.document;
    editor.onEdit = (edit, rewritten) => {
      if (!rewritten) this.#pending.push(edit);
      this.#keepSoon();
      this.#sendSoon();
    };
  }

  /** Claims the client's name: what it keeps is not taken for that of a lost tab. */
  #hold() {
    this.#held.push(this.store.hold(this.#client).catch(() => () => {}));
  }

  get client(): string {
    return this.#client;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Takes in an edit from the stream, one's own too. They may come twice, and late. */
  hear(edit: ServerEdit) {
    this.#heard.push(edit);
    this.#takeIn();
  }

  /** Tries again at once: the browser is online again, or the person asks for it. */
  retry() {
    this.#failures = 0;
    if (this.#readTimer) void this.#readAgain();
    if (!this.#sending) this.#sendSoon();
    else if (!this.#delivering) void this.#deliver(this.#sending);
  }

  /** Ends it: what is not acknowledged is kept, and sent as what a lost tab has left, now or by the next open. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#sendTimer);
    clearTimeout(this.#readTimer);
    this.editor.onEdit = () => {};
    await this.#keep();
    for (const release of this.#held) (await release)();
    await sendLost(this.flow, this.transport, this.store).catch(() => []);
  }

  #takeIn() {
    if (this.#resetting) return;
    this.#heard = this.#heard.filter((edit) => edit.revision > this.#revision);
    this.#heard.sort((a, b) => a.revision - b.revision);
    const next: ServerEdit[] = [];
    for (const edit of this.#heard) {
      const after = next.at(-1)?.revision ?? this.#revision;
      if (edit.revision === after) continue;
      // The answer to what is under way says what this one is, and all before it.
      if (edit.client === this.#client && this.#sending) break;
      if (edit.revision > after + 1) {
        if (!this.#sending) void this.reread();
        break;
      }
      next.push(edit);
    }
    if (next.length > 0) this.#rebase(next);
  }

  /** Applies others' edits, then what came of those of mine that were sent, to what the server has, and puts the rest of
   * mine on top. */
  #rebase(others: readonly ServerEdit[], sent: readonly Edit[] = [], outcomes: readonly Outcome[] = []) {
    const foreign: Foreign[] = [];
    try {
      for (const edit of others) {
        for (const step of edit.steps) {
          const inverse = this.#confirm(step);
          foreign.push({ by: edit.person ?? 'Another member', operations: step.operations, inverse });
        }
        this.#revision = edit.revision;
      }
      for (const outcome of outcomes) if ('step' in outcome) this.#confirm(outcome.step);
    } catch {
      void this.reread(); // the server applied what can't be applied here: what it has is read again
      return;
    }
    // A rename that was heard while mine were under way has made others of them.
    const isShown = sent.every(({ step }, i) => {
      const outcome = outcomes[i];
      return outcome && 'step' in outcome && sameStep(outcome.step, step);
    });
    if (foreign.length > 0 || !isShown) this.#replay(foreign);
  }

  /** Puts what is not acknowledged on what the server has. */
  #replay(foreign: readonly Foreign[] = []) {
    const refused = this.editor.rebase(this.#confirmed, foreign, [...(this.#sending?.edits ?? []), ...this.#pending]);
    if (refused.length === 0) return;
    this.#pending = this.#pending.filter((edit) => !refused.includes(edit));
    this.#keepSoon();
  }

  #confirm(step: Step) {
    const done = apply(this.#confirmed, step);
    if (isRefusal(done)) throw new Error(`${done.code}: ${done.node}`);
    this.#confirmed = done.document;
    return done.inverse;
  }

  #sendSoon() {
    if (this.#closed || this.#sendTimer || this.#sending || this.#resetting || this.#pending.length === 0) return;
    const wait = Math.max(0, this.#lastSent + sendEvery - performance.now());
    this.#sendTimer = setTimeout(() => {
      this.#sendTimer = undefined;
      this.#sendNow();
    }, wait);
  }

  #sendNow() {
    if (this.#sending || this.#resetting || this.#pending.length === 0) return this.#settled(); // others made it impossible
    const steps = this.#pending.map((edit) => edit.step);
    const edits = this.#pending.splice(0, Math.min(take(steps), this.#largest));
    for (const edit of edits) edit.sent = true;
    const batch = {
      client: this.#client,
      sequence: this.#acknowledged + 1,
      baseRevision: this.#revision,
      steps: edits.map((edit) => edit.step),
    };
    void this.#deliver({ batch, edits });
  }

  async #deliver(sending: Sending) {
    this.#sending = sending;
    this.#delivering = true;
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    this.#lastSent = performance.now(); // the clock of the day may be set back by hours
    this.#stopped = false;
    await this.#keep();
    if (this.#closed) return;
    const answer = await this.transport.send(sending.batch).catch((error: unknown) => ({ error }));
    if (this.#closed) return;
    this.#delivering = false;
    if ('error' in answer) this.#failed(sending, answer.error);
    else this.#answered(sending, answer);
  }

  #answered(sending: Sending, answer: Answer) {
    this.#sending = undefined;
    this.#acknowledged = sending.batch.sequence;
    this.#failures = 0;
    this.#largest = Number.POSITIVE_INFINITY;
    const others = answer.others.filter((edit) => edit.revision > this.#revision);
    const seen = this.editor.countOthers() + others.reduce((sum, edit) => sum + edit.steps.length, 0);
    sending.edits.forEach((edit, i) => {
      const outcome = answer.outcomes[i];
      if (!outcome || 'refusal' in outcome) return;
      edit.inverse = outcome.inverse;
      edit.seen = seen;
      edit.acknowledged = true;
    });
    if (answer.reset || this.#resetting) void this.reread(answer.revision);
    else if (answer.revision > this.#revision) {
      this.#rebase(others, sending.edits, answer.outcomes);
      if (!this.#resetting) this.#revision = answer.revision;
    } else this.#replay(); // the batch was in what was read meanwhile
    sending.edits.forEach((edit, i) => {
      const outcome = answer.outcomes[i];
      if (outcome && 'refusal' in outcome) this.editor.refuse(edit, outcome.refusal);
    });
    this.#keepSoon();
    this.#takeIn();
    this.#settled();
  }

  #settled() {
    if (this.#sending || this.#resetting) return;
    if (this.#pending.length === 0) this.editor.report('saved');
    else {
      this.editor.report('saving');
      this.#sendSoon();
    }
  }

  #failed(sending: Sending, error: unknown) {
    const code = codeOf(error);
    switch (code) {
      case 'client_reused':
      case 'sequence_gap': {
        // The server does not know this series of batches, or another one of its name: a new one is begun.
        this.#client = crypto.randomUUID();
        this.#hold();
        void this.store.forget(sending.batch.client).catch(() => {});
        this.#acknowledged = 0;
        const batch = { ...sending.batch, client: this.#client, sequence: 1 };
        void this.#deliver({ ...sending, batch });
        return;
      }
      case 'invalid_input':
        // Nothing of it was taken. Sent one by one, only what is wrong is lost.
        this.#sending = undefined;
        if (this.#largest > 1) {
          this.#largest = 1;
          for (const edit of sending.edits) edit.sent = false;
          this.#pending.unshift(...sending.edits);
        } else this.editor.refuse(sending.edits[0]!, { code: 'shape', node: 'flow' });
        void this.reread();
        return;
    }
    const limited = error instanceof Undelivered && code === 'rate_limited';
    if (!limited) this.#reportFailure(code);
    this.#stopped = stops.has(code);
    if (this.#stopped) return;
    const wait = limited ? error.retryAfter * 1000 : Math.min(longestWait, 1000 * 2 ** this.#failures++);
    this.#sendTimer = setTimeout(() => void this.#deliver(sending), wait);
  }

  /** Tells a server that can't be reached from one that takes nothing of this person, or of this flow, any more. */
  #reportFailure(code: string) {
    if (stops.has(code)) this.editor.report('stopped', code);
    else this.editor.report('offline');
  }

  /** Reads what the server has, at a revision or later, and puts on it what it has not: the stream can't say what came
   * between. */
  async reread(least = 0) {
    this.#least = Math.max(this.#least, least);
    if (this.#resetting) return;
    this.#resetting = true;
    await this.#readAgain();
  }

  /** Until it is read, nothing is put on what may not be what the server has, and nothing is said to be saved. */
  async #readAgain() {
    clearTimeout(this.#readTimer);
    this.#readTimer = undefined;
    try {
      let draft = await this.transport.read();
      while (draft.revision < this.#least) draft = await this.transport.read();
      if (this.#closed) return;
      this.#confirmed = open(draft.document);
      this.#revision = draft.revision;
      this.#replay();
      this.#resetting = false;
      this.#failures = 0;
      this.#takeIn();
      // What it did not take it may take again.
      if (this.#stopped) this.retry();
      else this.#settled();
    } catch (error) {
      if (this.#closed) return;
      this.#reportFailure(codeOf(error));
      const wait = Math.min(longestWait, 1000 * 2 ** this.#failures++);
      this.#readTimer = setTimeout(() => void this.#readAgain(), wait);
    }
  }

  #keepSoon() {
    this.#keepTimer ??= setTimeout(() => void this.#keep(), keepEvery);
  }

  async #keep() {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    const kept: Kept = {
      flow: this.flow,
      client: this.#client,
      acknowledged: this.#acknowledged,
      revision: this.#revision,
      sending: this.#sending?.batch,
      pending: this.#pending.map((edit) => edit.step),
    };
    // Without a store, in a private window or on a full disk, edits are only as safe as the connection, and the tab.
    const isKept = await this.store.keep(kept).then(
      () => true,
      () => false,
    );
    this.editor.reportKept(isKept);
  }
}

const codeOf = (error: unknown): string => (error instanceof Undelivered ? error.code : 'unreachable');
