import { EVENT_STORE_MAX_BYTES } from '../src/events/event-store';
import { utf8Length } from '../src/host/text-size';
import { createMemoryStore, type FlowManifest, type KeyValueStore, type ResolvedFlow, SvcClient } from '../src/index';
import { isTerminalFlowEvent } from '../src/run/flow-event';
import { FaultyService } from './faulty-service';
import { PagePlatform } from './page';

export interface SoakOptions {
  minutes: number;
  /** How many pages are open at a time; they share one device. */
  pages: number;
  seed: number;
}

const CHANNEL = 'ch_test_soak';
/** Size of what the page records that records too much. */
const CROWD_EVENT_BYTES = 25_000;

/** Numbers in [0, 1) that a seed decides. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

function flow(): ResolvedFlow {
  const screen = (id: string, next: string | null) => ({
    id,
    name: id,
    regions: { body: { id: `lyr_${id}`, kind: 'stack', direction: 'vertical', children: [] } },
    next: { default: next },
  });
  return {
    flowId: 'a0000000-0000-4000-8000-0000000000aa',
    versionId: 'b0000000-0000-4000-8000-000000000001',
    versionNumber: 1,
    assignmentVersion: 1,
    environment: 'test',
    channelId: CHANNEL,
    experimentId: null,
    variantId: null,
    mediaMap: {},
    manifest: {
      flowId: 'a0000000-0000-4000-8000-0000000000aa',
      schemaVersion: 7,
      version: 1,
      defaultLocale: 'en',
      locales: ['en'],
      entryScreenId: 'scr_a',
      screens: [screen('scr_a', 'scr_b'), screen('scr_b', null)],
      decisionNodes: [],
      externalSurfaceNodes: [],
    } as unknown as FlowManifest,
  };
}

/**
 * Opens and closes pages of one device against a faulty service and counts events: every one that was enqueued has to
 * be stored or reported in the end. Returns whether that held.
 */
export async function soak({ minutes, pages, seed }: SoakOptions): Promise<boolean> {
  const random = randomFrom(seed);
  const service = new FaultyService(random);
  const apiBaseUrl = await service.listen();
  const device = createMemoryStore();
  /** Of a page that records more than fits on it. */
  const small = createMemoryStore();
  const enqueued = new Set<string>();
  const reported = new Set<string>();
  const reportedTwice: string[] = [];
  const lives = { closed: 0, killed: 0, killedFull: 0 };
  /** Events of the page that records too much, with whether they are terminal. */
  const crowd = new Map<string, boolean>();
  /** Those of them that had no copy any more when their page was killed: nothing may be expected of them. */
  const givenUp = new Set<string>();
  const broken: string[] = [];
  const end = Date.now() + minutes * 60_000;

  const open = (persistence: 'memory' | 'device', failing: () => boolean, storage: KeyValueStore = device) => {
    const platform = new PagePlatform(storage, failing);
    const client = new SvcClient({
      platform,
      config: { publishableKey: 'ob_pk_test_soak', apiBaseUrl, persistence },
      kind: 'app',
      defaultPlatform: 'ios',
      onEvent: ({ path, event }) => {
        enqueued.add(event.eventId);
        if (storage === small) crowd.set(event.eventId, path === 'flow' && isTerminalFlowEvent(event.name));
      },
      onError: (report) => {
        if (report.code !== 'event_dropped' || report.reason === 'invalid_name') return;
        // Two pages may hold copies of one event; each tells its own host.
        if (reported.has(report.eventId)) reportedTwice.push(report.eventId);
        reported.add(report.eventId);
      },
    });
    client.reopen();
    return { platform, client };
  };

  const act = (client: SvcClient) => {
    const roll = random();
    if (roll < 0.5) client.logEvent('tapped', { label: 'ä'.repeat(Math.floor(random() * 40)), roll });
    else if (roll < 0.65) client.track('cart_left', { items: Math.floor(roll * 100) });
    else if (roll < 0.75) client.screen(`view ${Math.floor(random() * 5)}`);
    else if (roll < 0.8) client.enterBackground();
    else if (roll < 0.83) client.leavePage();
    else {
      const run = client.runs.create(flow(), `${CHANNEL}_${Math.floor(random() * 3)}`);
      run.start();
      if (random() < 0.7) run.respond({ kind: 'cta', action: 'primary' });
      if (random() < 0.5) run.respond({ kind: 'cta', action: 'primary' });
      run.dispose();
    }
  };

  const live = async () => {
    while (Date.now() < end) {
      const kept = random() < 0.7;
      const killed = kept && random() < 0.5;
      // A page whose store may refuse has memory only, so it has to end in order.
      const { platform, client } = open(kept ? 'device' : 'memory', () => !killed && !kept && random() < 0.2);
      const until = Math.min(end, Date.now() + 2_000 + random() * 40_000);
      while (Date.now() < until) {
        act(client);
        if (random() < 0.02) {
          await client.close();
          client.reopen();
        }
        await pause(50 + random() * 400);
      }
      if (killed) platform.alive = false;
      else await client.close();
      lives[killed ? 'killed' : 'closed'] += 1;
    }
  };

  const isOpen = (id: string) => !service.stored.has(id) && !reported.has(id);
  const copies = (storage: KeyValueStore) => storage.keys().filter((key) => key.startsWith('svc:event:'));

  /** What a kill finds: as much as the device may hold, terminal events among it, and no room for what is missing. */
  const inspect = () => {
    const keys = copies(small);
    const bytes = keys.reduce((sum, key) => sum + utf8Length(key) + utf8Length(small.getItem(key) ?? ''), 0);
    const kept = new Set(keys.map((key) => key.slice(key.lastIndexOf(':') + 1)));
    const missing = [...crowd.keys()].filter((id) => isOpen(id) && !kept.has(id) && !givenUp.has(id));
    if (bytes > EVENT_STORE_MAX_BYTES) broken.push(`${bytes} bytes on the device`);
    if (missing.length > 0 && bytes < EVENT_STORE_MAX_BYTES - 2 * CROWD_EVENT_BYTES)
      broken.push(`${missing.length} copies given up at ${bytes} bytes`);
    for (const id of missing) if (crowd.get(id)) broken.push(`terminal event ${id} given up`);
    for (const id of missing) givenUp.add(id);
    if (missing.length > 0) lives.killedFull += 1;
  };

  /** Records half as much again as the device holds, and is killed before it could send it. */
  const crowded = async () => {
    while (Date.now() < end) {
      const { platform, client } = open('device', () => false, small);
      await pause(100 + random() * 2_000);
      const run = client.runs.create(flow(), CHANNEL);
      run.start();
      run.dispose();
      const text = 'x'.repeat(CROWD_EVENT_BYTES);
      for (let bytes = 0; bytes < 1.5 * EVENT_STORE_MAX_BYTES; bytes += CROWD_EVENT_BYTES)
        client.logEvent('crowd', { text });
      platform.alive = false;
      inspect();
      // The next one delivers what is left, and ends in order.
      const next = open('device', () => false, small);
      await pause(1_000 + random() * 20_000);
      await next.client.close();
    }
  };

  const counts = () => {
    const open = [...enqueued].filter((id) => isOpen(id) && !givenUp.has(id));
    return {
      minutes: Number(((Date.now() - (end - minutes * 60_000)) / 60_000).toFixed(1)),
      enqueued: enqueued.size,
      stored: service.stored.size,
      reported: reported.size,
      storedAndReported: [...reported].filter((id) => service.stored.has(id)).length,
      undelivered: open.length,
      duplicates: service.duplicates,
      changed: service.changed.length,
      givenUp: givenUp.size,
      onDevice: copies(device).length + copies(small).length,
      ...lives,
      heapMB: Math.round(process.memoryUsage().heapUsed / 1e6),
    };
  };
  const progress = setInterval(() => console.log(JSON.stringify(counts())), 60_000);
  await Promise.all([crowded(), ...Array.from({ length: pages }, live)]);
  clearInterval(progress);

  // The network is well again, and the app is opened once more.
  service.faulty = false;
  const last = [device, small].map((storage) => open('device', () => false, storage));
  for (let second = 0; second < 60 && counts().onDevice > 0; second += 1) await pause(1_000);
  for (const { client } of last) await client.close();
  service.close();
  const result = counts();
  console.log(JSON.stringify({ ...result, reportedTwice: reportedTwice.length, faults: service.faults }));
  const unknown = [...service.stored.keys()].filter((id) => !enqueued.has(id)).length;
  for (const line of broken) console.log(line);
  const isFull = result.killedFull > 0 && broken.length === 0;
  const ok = isFull && result.undelivered === 0 && result.changed === 0 && result.onDevice === 0 && unknown === 0;
  console.log(ok ? 'enqueued = stored + reported, nothing twice' : 'FAILED');
  return ok;
}
