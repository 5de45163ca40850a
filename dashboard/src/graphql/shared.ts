import type { DataOf, Document, VariablesOf } from './graphql';
import { stream } from './send';

/** What tabs of one browser say to each other of a subscription. */
type Said =
  | { key: string; kind: 'data'; data: unknown }
  | { key: string; kind: 'lost' }
  /** A tab that has just come asks what was said last. */
  | { key: string; kind: 'ask' };

/** Connections that subscriptions may take: a browser has six to a server over HTTP/1.1, and requests need the rest. */
const connections = 2;
/** How long a subscription keeps a connection for which another one waits, in milliseconds. */
const turn = 2_000;
/** How long to wait after a failure, in milliseconds. */
const patience = 2_000;

const pause = (length: number) => new Promise((later) => setTimeout(later, length));

type Listener<D extends Document> = {
  next: (data: DataOf<D['name']>) => void;
  /** The stream is down: what was said last stays. */
  lost: () => void;
};

/** Listens to a subscription until it is told to stop. The tabs of a browser share one stream for each subscription of
 * one viewer: the tab that holds its lock reads it and tells the others, and when that tab goes, the browser gives the
 * lock to the next. */
export function follow<D extends Document>(
  document: D,
  variables: VariablesOf<D['name']>,
  viewer: string,
  { next, lost }: Listener<D>,
): () => void {
  const stop = new AbortController();
  const key = JSON.stringify([viewer, document.name, variables]);
  const channel = new BroadcastChannel('svc.streams');
  let last: Said | undefined; // of what this tab has read itself
  const hear = (said: Said) => {
    if (said.kind === 'data') next(said.data as DataOf<D['name']>);
    if (said.kind === 'lost') lost();
  };
  const say = (said: Said) => {
    if (stop.signal.aborted) return;
    last = said;
    channel.postMessage(said);
    hear(said);
  };
  channel.onmessage = ({ data: said }: MessageEvent<Said>) => {
    if (said.key !== key) return;
    if (said.kind === 'ask') {
      if (last) channel.postMessage(last);
    } else hear(said);
  };
  channel.postMessage({ key, kind: 'ask' } satisfies Said);
  const lead = async () => {
    while (!stop.signal.aborted) {
      try {
        await withConnection(key, stop.signal, async (signal) => {
          for await (const data of stream(document, variables, signal)) say({ key, kind: 'data', data });
        });
        await pause(turn / 8); // whoever waits for the connection is faster
      } catch {
        say({ key, kind: 'lost' });
        await pause(patience);
      }
    }
  };
  void alone(`svc.stream ${key}`, stop.signal, lead);
  return () => {
    stop.abort();
    channel.close();
  };
}

/** Runs work while no other tab does what has that name. With `now` it returns false, and runs nothing, when one does.
 * Pages that are not served securely have no locks: there each tab works for itself. */
async function alone(name: string, signal: AbortSignal, work: () => Promise<void>, now = false): Promise<boolean> {
  if (!navigator.locks) {
    await work();
    return true;
  }
  const take = async (lock: Lock | null) => {
    if (lock) await work();
    return lock !== null;
  };
  try {
    // A request that does not wait cannot be taken back.
    return await navigator.locks.request(name, now ? { ifAvailable: true } : { signal }, take);
  } catch (error) {
    if (!signal.aborted) throw error;
    return true;
  }
}

/** Runs work on one of the connections that there are for subscriptions. It is ended when another one waits for that
 * connection and this one had its turn: so all of them get their answers, if less often. */
export async function withConnection(key: string, stop: AbortSignal, work: (signal: AbortSignal) => Promise<void>) {
  const names = Array.from({ length: connections }, (_, i) => `svc.connection ${i}`);
  for (const name of names) {
    if (await alone(name, stop, () => inTurn(name, stop, work), true)) return;
  }
  const name = names[[...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % connections]!;
  await alone(name, stop, () => inTurn(name, stop, work));
}

async function inTurn(name: string, stop: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const own = new AbortController();
  const end = () => own.abort();
  if (stop.aborted) return;
  stop.addEventListener('abort', end);
  const timer = setInterval(async () => {
    const { pending = [] } = (await navigator.locks?.query()) ?? {};
    if (pending.some((lock) => lock.name === name)) end();
  }, turn);
  try {
    await work(own.signal);
  } catch (error) {
    if (!own.signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    stop.removeEventListener('abort', end);
  }
}
