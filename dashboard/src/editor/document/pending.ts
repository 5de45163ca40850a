import { byteLength } from './canonical';
import type { Operation, Step } from './operation';
import { type Batch, type Outcome, type Transport, Undelivered } from './transport';

/** What one open editor has that the server has not acknowledged. */
export type Kept = {
  flow: string;
  client: string;
  acknowledged: number;
  revision: number;
  sending?: Batch;
  pending: readonly Step[];
};

/** Where unacknowledged edits are kept in the browser, by client. */
export type PendingStore = {
  /** Keeps what a client has, in place of what it had; nothing is kept of one that has nothing. */
  keep(kept: Kept): Promise<void>;
  /** Claims a client for this editor, until the returned function is called or its tab is closed or killed. */
  hold(client: string): Promise<() => void>;
  /** Forgets what is kept of a client, which has another name now. */
  forget(client: string): Promise<void>;
  /** Calls `use` with what each tab has left that is not open any more, one tab at a time, and forgets it when `use`
   * resolves. */
  takeUp(flow: string, use: (kept: Kept) => Promise<void>): Promise<void>;
};

/** What the server takes at once (studio/edit.go). */
const mostOperations = 200;
const mostBytes = 256 * 1024;

/** Counts how many of the steps go into one batch, at least one. */
export function take(steps: readonly Step[]): number {
  let operations = 0;
  let bytes = 2;
  for (const [i, step] of steps.entries()) {
    operations += step.operations.length;
    bytes += byteLength(JSON.stringify(step)) + 1;
    if (i > 0 && (operations > mostOperations || bytes > mostBytes)) return i;
  }
  return steps.length;
}

/** Cuts operations into parts that go into one batch each, in their order. */
export function parts(operations: readonly Operation[]): Operation[][] {
  const out: Operation[][] = [];
  let bytes = 0;
  for (const operation of operations) {
    const size = byteLength(JSON.stringify(operation)) + 1;
    const last = out.at(-1);
    // A step has a name and brackets besides.
    if (last && last.length < mostOperations && bytes + size < mostBytes - 2048) {
      last.push(operation);
      bytes += size;
    } else {
      out.push([operation]);
      bytes = size;
    }
  }
  return out;
}

/** Sends what lost tabs have left: what was under way with its very bytes, so that it is applied once, then the rest.
 * Returns the names of the steps that could not be applied. */
export async function sendLost(flow: string, transport: Transport, store: PendingStore): Promise<string[]> {
  const refused: string[] = [];
  await store.takeUp(flow, async (kept) => {
    const note = (batch: Batch, outcomes: Outcome[]) => {
      outcomes.forEach((outcome, i) => {
        if ('refusal' in outcome) refused.push(batch.steps[i]!.name);
      });
    };
    let { client, acknowledged, pending } = kept;
    let waiting = kept.sending;
    while (waiting || pending.length > 0) {
      if (!waiting) {
        const steps = pending.slice(0, take(pending));
        pending = pending.slice(steps.length);
        waiting = { client, sequence: acknowledged + 1, baseRevision: kept.revision, steps };
      }
      try {
        const { outcomes } = await transport.send(waiting);
        note(waiting, outcomes);
      } catch (error) {
        if (!(error instanceof Undelivered)) throw error;
        if (error.code === 'client_reused' || error.code === 'sequence_gap') {
          client = crypto.randomUUID();
          waiting = { ...waiting, client, sequence: 1 };
          continue;
        }
        if (error.code !== 'invalid_input') throw error;
        refused.push(...waiting.steps.map((step) => step.name));
        acknowledged = waiting.sequence - 1;
        waiting = undefined;
        continue;
      }
      acknowledged = waiting.sequence;
      waiting = undefined;
    }
  });
  return refused;
}

/** How long the browser may take to keep something, in milliseconds: some hang instead of failing. */
const patience = 5_000;

const lockOf = (client: string) => `svc-draft:${client}`;

/** Keeps edits in IndexedDB. A Web Lock tells the clients that are open: it ends with its tab, however that ends. */
export function browserStore(factory: IDBFactory = indexedDB, locks: LockManager = navigator.locks): PendingStore {
  let database: Promise<IDBDatabase> | undefined;
  const openDatabase = () => {
    database ??= new Promise((resolve, reject) => {
      const request = factory.open('svc-drafts', 1);
      request.onupgradeneeded = () => request.result.createObjectStore('pending', { keyPath: 'client' });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return database;
  };
  const run = <T>(mode: IDBTransactionMode, work: (table: IDBObjectStore) => IDBRequest<T>): Promise<T> =>
    Promise.race([
      act(mode, work),
      new Promise<T>((_, reject) => setTimeout(() => reject(new Error('IndexedDB does not answer')), patience)),
    ]);
  const act = async <T>(mode: IDBTransactionMode, work: (table: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const transaction = (await openDatabase()).transaction('pending', mode);
    const request = work(transaction.objectStore('pending'));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
      transaction.onerror = () => reject(transaction.error);
    });
  };
  const hold = (client: string) =>
    new Promise<() => void>((resolve, reject) => {
      locks.request(lockOf(client), () => new Promise<void>((release) => resolve(release))).catch(reject);
    });
  return {
    hold,
    async keep(kept) {
      const empty = !kept.sending && kept.pending.length === 0;
      await run('readwrite', (table): IDBRequest => (empty ? table.delete(kept.client) : table.put(kept)));
    },
    async forget(client) {
      await run('readwrite', (table) => table.delete(client));
    },
    async takeUp(flow, use) {
      const all = (await run('readonly', (table) => table.getAll())) as Kept[];
      for (const { client } of all.filter((kept) => kept.flow === flow))
        await locks.request(lockOf(client), { ifAvailable: true }, async (lock) => {
          if (!lock) return; // its tab is open
          const kept = (await run('readonly', (table) => table.get(client))) as Kept | undefined;
          if (!kept) return;
          await use(kept);
          await run('readwrite', (table) => table.delete(client));
        });
    },
  };
}
