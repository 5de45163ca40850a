import { AsyncLocalStorage } from 'node:async_hooks';
import { canonical } from '../src/editor/document/canonical';
import type { Flow } from '../src/editor/document/document';
import type { Step } from '../src/editor/document/operation';
import type { Kept, PendingStore } from '../src/editor/document/pending';
import { openDraft, type Session } from '../src/editor/document/session';
import type { Answer, Batch, ServerEdit, Transport } from '../src/editor/document/transport';
import { followDraft } from '../src/editor/page/follow';
import { draftEditsDocument } from '../src/editor/page/queries';
import { draftTransport, toEdit } from '../src/editor/page/transport';
import { stream } from '../src/graphql/send';
import { FaultyProxy } from './proxy';
import type { Server } from './server';

/** Whose code asks: each has a way to the server of their own. */
type Way = { address: string; cookie: string };
const ways = new AsyncLocalStorage<Way>();

/** Gives the dashboard's code, without a browser, what it takes of one: a tab that is seen, and relative addresses. */
export function beBrowser() {
  const fetchAt = globalThis.fetch;
  const page = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, { document: page });
  if (!('navigator' in globalThis)) Object.assign(globalThis, { navigator: {} });
  globalThis.fetch = (input, init) => {
    const way = ways.getStore();
    if (!way || typeof input !== 'string' || !input.startsWith('/')) return fetchAt(input, init);
    return fetchAt(way.address + input, { ...init, headers: { ...init?.headers, cookie: way.cookie } });
  };
}

/** Asks the API with a session or none, and returns the answer and the session that it gave. */
async function askWith<T>(address: string, cookie: string, query: string, variables: object) {
  const answer = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', cookie },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: T; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  const given = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
  return { data, cookie: given.join('; ') };
}

/** Signs in the administrator, and invites and signs in as many editors as there are names. Returns their sessions. */
export async function enterAll(server: Server, names: readonly string[]): Promise<string[]> {
  const { admin, address } = server;
  const signIn = 'mutation ($e: String!, $p: String!) { signIn(input: {email: $e, password: $p}) { email } }';
  const owner = (await askWith(address, '', signIn, { e: admin.email, p: admin.password })).cookie;
  const workspaces = '{ viewer { workspaces(first: 1) { nodes { workspace { id } } } } }';
  type Workspaces = { viewer: { workspaces: { nodes: { workspace: { id: string } }[] } } };
  const { data } = await askWith<Workspaces>(address, owner, workspaces, {});
  const invite = `mutation ($w: ID!, $e: String!) {
    inviteMember(input: {workspaceId: $w, email: $e, role: EDITOR}) { setupToken }
  }`;
  const complete = `mutation ($t: String!, $n: String!) {
    completeSetup(input: {token: $t, password: "a long password", name: $n}) { userId }
  }`;
  const sessions: string[] = [];
  for (const n of names) {
    const to = { w: data.viewer.workspaces.nodes[0]!.workspace.id, e: `${n.toLowerCase()}@example.com` };
    const invited = await askWith<{ inviteMember: { setupToken: string } }>(address, owner, invite, to);
    sessions.push((await askWith(address, '', complete, { t: invited.data.inviteMember.setupToken, n })).cookie);
  }
  return sessions;
}

/** What a browser keeps of tabs, in memory: a tab that dies lets go of what it held. */
class Store {
  readonly kept = new Map<string, Kept>();
  readonly held = new Set<string>();

  of(tab: { dead: boolean }): PendingStore {
    return {
      hold: async (client) => {
        this.held.add(client);
        return () => void this.held.delete(client);
      },
      keep: async (one) => {
        if (tab.dead) return;
        if (one.sending || one.pending.length > 0) this.kept.set(one.client, structuredClone(one));
        else this.kept.delete(one.client);
      },
      forget: async (client) => void this.kept.delete(client),
      takeUp: async (_, use) => {
        for (const one of [...this.kept.values()].filter(({ client }) => !this.held.has(client))) {
          await use(structuredClone(one));
          this.kept.delete(one.client);
        }
      },
    };
  }
}

/** A batch that the server said it has kept. */
export type Acknowledged = { batch: Batch; answer: Answer };

/** Somebody who edits a flow with the code of the dashboard, over a connection that can be cut. */
export class Person {
  readonly proxy = new FaultyProxy();
  readonly acknowledged: Acknowledged[] = [];
  readonly store = new Store();
  /** How often a batch did not arrive, or its answer did not. */
  lost = 0;
  session!: Session;
  #tab = { dead: false };
  #unfollow = () => {};
  #way!: Way;

  constructor(
    readonly name: string,
    private readonly server: Server,
    private readonly flow: string,
    private readonly cookie: string,
  ) {}

  async open() {
    if (!this.#way) {
      this.proxy.target = this.server.address;
      this.#way = { address: await this.proxy.listen(), cookie: this.cookie };
    }
    const tab = { dead: false };
    this.#tab = tab;
    await this.act(async () => {
      this.session = await this.#try(() => openDraft(this.flow, this.#transport(tab), this.store.of(tab)));
      this.#unfollow = followDraft(this.session.sync, { begin() {}, end() {}, hear() {} });
    });
  }

  /** Opens as a person does who presses “Try again”: a connection that the fault before has cut fails once more. */
  async #try<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (tries === 10) throw error;
        await new Promise((later) => setTimeout(later, 200));
      }
    }
  }

  /** Runs what this person's tab does. */
  act<T>(work: () => T): T {
    return ways.run(this.#way, work);
  }

  /** Ends the tab as a crash does: what is under way still arrives, nothing more is sent or heard. */
  die() {
    this.#tab.dead = true;
    this.#unfollow();
    this.store.held.clear();
  }

  close() {
    this.die();
    this.proxy.close();
  }

  #transport(tab: { dead: boolean }): Transport {
    const inner = draftTransport(this.flow, () => {});
    const alive = async <T>(work: () => Promise<T>): Promise<T> => {
      if (tab.dead) return new Promise(() => {});
      try {
        return await work();
      } catch (error) {
        this.lost++;
        throw error;
      } finally {
        if (tab.dead) await new Promise(() => {});
      }
    };
    return {
      read: () => alive(() => inner.read()),
      send: (batch) =>
        alive(async () => {
          const answer = await inner.send(batch);
          this.acknowledged.push(structuredClone({ batch, answer }));
          return answer;
        }),
    };
  }
}

/** All that comes to a draft after a revision, as draftEdits tells it to whoever is connected without fault. */
export class Journal {
  readonly edits: ServerEdit[] = [];
  readonly #stop = new AbortController();

  constructor(
    server: Server,
    private readonly flow: string,
    cookie: string,
    private revision: number,
  ) {
    void ways.run({ address: server.address, cookie }, () => this.#read());
  }

  async #read() {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const variables = { flow: this.flow, after: this.revision };
        for await (const { draftEdits: news } of stream(draftEditsDocument, variables, signal)) {
          if (news.reset) throw new Error('the journal has a gap');
          this.edits.push(...news.edits.map(toEdit));
          this.revision = news.revision;
        }
      } catch {
        await new Promise((later) => setTimeout(later, 200));
      }
    }
  }

  get last(): number {
    return this.revision;
  }

  stop() {
    this.#stop.abort();
  }
}

/** A document as bytes, without what the server writes into it whenever it is read. */
export const bytesOf = ({ flowId: _, version: __, ...rest }: Flow): string => canonical(rest as Flow);

export const stepsOf = (steps: readonly Step[]): string => canonical(JSON.parse(JSON.stringify(steps)));
