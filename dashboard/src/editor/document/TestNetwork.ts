import { apply } from './apply';
import { type Document, type Flow, open } from './document';
import { followRenames } from './follow';
import { isRefusal, type Step } from './operation';
import type { Kept, PendingStore } from './pending';
import type { Rename } from './reference';
import { openDraft, type Session } from './session';
import { type Answer, type Batch, type Outcome, type ServerEdit, type Transport, Undelivered } from './transport';

/** The server of tests: it orders batches as studio.EditDraft does, in memory. */
export class TestServer {
  document: Document;
  revision = 1;
  readonly log: ServerEdit[] = [];
  readonly answers = new Map<string, { text: string; answer: Answer }>();
  /** How many batches were applied, repeated ones left out. */
  batches = 0;

  constructor(flow: Flow) {
    this.document = open(flow);
  }

  edit(person: string, { client, sequence, baseRevision, steps }: Batch): Answer {
    const text = JSON.stringify(steps);
    const known = this.answers.get(`${client} ${sequence}`);
    if (known && known.text !== text) throw new Undelivered('client_reused', 'other steps');
    if (known) return structuredClone(known.answer);
    if (sequence > 1 && !this.answers.has(`${client} ${sequence - 1}`)) throw new Undelivered('sequence_gap', 'gap');
    if (baseRevision > this.revision) throw new Undelivered('invalid_input', 'baseRevision');
    const since = this.log.filter((edit) => edit.revision > baseRevision);
    const renames = since
      .filter((edit) => edit.client !== client)
      .flatMap((edit) =>
        edit.steps.flatMap((step) => step.operations.filter((one): one is Rename => one.op === 'rename')),
      );
    const applied: Step[] = [];
    const outcomes = steps.map((step): Outcome => {
      const done = apply(this.document, followRenames(this.document, step, renames));
      if (isRefusal(done)) return { refusal: done };
      this.document = done.document;
      applied.push(done.step);
      return { step: done.step, inverse: done.inverse };
    });
    this.revision++;
    this.batches++;
    this.log.push({ revision: this.revision, client, sequence, person, steps: applied });
    const reset = since.length < this.revision - 1 - baseRevision;
    const answer = { revision: this.revision, outcomes, others: reset ? [] : since, reset };
    this.answers.set(`${client} ${sequence}`, { text, answer: structuredClone(answer) });
    return structuredClone(answer);
  }

  /** Saves a whole draft, as old clients do: what came between can't be said in operations. */
  replace(flow: Flow) {
    this.document = open(flow);
    this.revision++;
  }
}

/** An open editor of a person. */
export type TestTab = Session & {
  /** Closes the tab without a word: nothing of it runs any more. */
  kill(): void;
};

/**
 * Lets several editors and a server talk, or keeps them from it. What is sent while the network is paused or held waits for
 * `deliver`; `drop` loses the answers to what waits: the server has it, the sender does not know.
 */
export class TestNetwork {
  readonly server: TestServer;
  /** Makes the server fail for a batch. */
  fail: ((batch: Batch) => Error | undefined) | undefined;
  /** Why the draft can't be read, if it can't. */
  failsToRead: Error | undefined;
  /** Whether browsers can keep nothing. */
  isFull = false;
  #paused = new Set<string>();
  #deaf = new Set<string>();
  #waiting: { person: string; go(lose: boolean): void }[] = [];
  #tabs = new Map<TestTab, string>();
  #kept = new Map<string, Map<string, Kept>>();
  #held = new Map<string, Set<string>>();

  constructor(flow: Flow) {
    this.server = new TestServer(flow);
  }

  /** Opens a tab in the browser of a person; each has a store of their own. */
  async open(person: string): Promise<TestTab> {
    const life = { dead: false };
    const held = new Set<string>();
    const session = await openDraft('flow', this.#transport(person, life), this.#store(person, life, held));
    const tab: TestTab = {
      ...session,
      kill: () => {
        life.dead = true;
        this.#tabs.delete(tab);
        for (const client of held) this.#held.get(person)?.delete(client);
      },
    };
    this.#tabs.set(tab, person);
    return tab;
  }

  /** Keeps what people send, and what others do, from arriving. */
  pause(...people: string[]) {
    for (const person of people) this.#deaf.add(person);
    this.hold(...people);
  }

  /** Keeps what people send from arriving; they still hear what others do. */
  hold(...people: string[]) {
    for (const person of people) this.#paused.add(person);
  }

  /** Lets everything through again that waits, the oldest first. */
  async deliver(...people: string[]) {
    await this.#release(people, false);
  }

  /** Lets what waits reach the server, and loses its answers. */
  async drop(...people: string[]) {
    await this.#release(people, true);
  }

  /** Loses what waits before it reaches the server; its senders never hear of it. */
  forget(person: string) {
    this.#waiting = this.#waiting.filter((one) => one.person !== person);
  }

  async #release(people: readonly string[], lose: boolean) {
    for (const person of people) {
      this.#paused.delete(person);
      this.#deaf.delete(person);
    }
    for (const one of this.#waiting.splice(0)) {
      if (people.includes(one.person)) one.go(lose);
      else this.#waiting.push(one);
    }
    await settle();
    this.stream();
  }

  /** Brings everybody who can hear what the server has, twice and out of order: the stream promises no better. */
  stream() {
    for (const [tab, person] of this.#tabs) {
      if (this.#deaf.has(person)) continue;
      for (const edit of this.server.log.slice(-50).toReversed()) tab.sync.hear(structuredClone(edit));
      for (const edit of this.server.log.slice(-2)) tab.sync.hear(structuredClone(edit));
    }
  }

  #transport(person: string, life: { dead: boolean }): Transport {
    const pass = <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        if (life.dead) return; // what was under way when the tab died still arrives, but nothing more is sent
        const go = (lose: boolean) => {
          try {
            const answer = work();
            if (lose) reject(new Error('no answer'));
            else if (!life.dead) resolve(answer);
          } catch (error) {
            reject(error as Error);
          }
        };
        if (this.#paused.has(person)) this.#waiting.push({ person, go });
        else go(false);
      });
    return {
      send: (batch) =>
        pass(() => {
          const error = this.fail?.(batch);
          if (error) throw error;
          return this.server.edit(person, JSON.parse(JSON.stringify(batch)) as Batch);
        }),
      read: () =>
        pass(() => {
          if (this.failsToRead) throw this.failsToRead;
          return { revision: this.server.revision, document: structuredClone(this.server.document.flow) };
        }),
    };
  }

  #store(person: string, life: { dead: boolean }, mine: Set<string>): PendingStore {
    const kept = this.#kept.get(person) ?? new Map<string, Kept>();
    const held = this.#held.get(person) ?? new Set<string>();
    this.#kept.set(person, kept);
    this.#held.set(person, held);
    const isFull = () => this.isFull;
    return {
      async hold(client) {
        held.add(client);
        mine.add(client);
        return () => void held.delete(client);
      },
      async keep(one) {
        if (life.dead) return;
        if (isFull()) throw new DOMException('full', 'QuotaExceededError');
        if (one.sending || one.pending.length > 0) kept.set(one.client, structuredClone(one));
        else kept.delete(one.client);
      },
      async forget(client) {
        kept.delete(client);
      },
      async takeUp(_, use) {
        for (const one of [...kept.values()].filter((other) => !held.has(other.client))) {
          await use(structuredClone(one));
          kept.delete(one.client);
        }
      },
    };
  }
}

/** Lets promises that can go on do so. */
export async function settle() {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
