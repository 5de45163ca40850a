import { createMemoryStore, type FlowManifest, type ResolvedFlow, SvcClient } from '../src/index';
import { FaultyService } from './faulty-service';
import { PagePlatform } from './page';

export interface SoakOptions {
  minutes: number;
  /** How many pages are open at a time; they share one device. */
  pages: number;
  seed: number;
}

const CHANNEL = 'ch_test_soak';

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
  const enqueued = new Set<string>();
  const reported = new Set<string>();
  const reportedTwice: string[] = [];
  const lives = { closed: 0, killed: 0 };
  const end = Date.now() + minutes * 60_000;

  const open = (persistence: 'memory' | 'device', failing: () => boolean) => {
    const platform = new PagePlatform(device, failing);
    const client = new SvcClient({
      platform,
      config: { publishableKey: 'ob_pk_test_soak', apiBaseUrl, persistence },
      kind: 'app',
      defaultPlatform: 'ios',
      onEvent: ({ event }) => void enqueued.add(event.eventId),
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
      const run = client.createRun(flow(), `${CHANNEL}_${Math.floor(random() * 3)}`);
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

  const counts = () => {
    const open = [...enqueued].filter((id) => !service.stored.has(id) && !reported.has(id));
    return {
      minutes: Number(((Date.now() - (end - minutes * 60_000)) / 60_000).toFixed(1)),
      enqueued: enqueued.size,
      stored: service.stored.size,
      reported: reported.size,
      storedAndReported: [...reported].filter((id) => service.stored.has(id)).length,
      undelivered: open.length,
      duplicates: service.duplicates,
      changed: service.changed.length,
      onDevice: device.keys().filter((key) => key.startsWith('svc:event:')).length,
      ...lives,
      heapMB: Math.round(process.memoryUsage().heapUsed / 1e6),
    };
  };
  const progress = setInterval(() => console.log(JSON.stringify(counts())), 60_000);
  await Promise.all(Array.from({ length: pages }, live));
  clearInterval(progress);

  // The network is well again, and the app is opened once more.
  service.faulty = false;
  const last = open('device', () => false);
  for (let second = 0; second < 60 && counts().onDevice > 0; second += 1) await pause(1_000);
  await last.client.close();
  service.close();
  const result = counts();
  console.log(JSON.stringify({ ...result, reportedTwice: reportedTwice.length, faults: service.faults }));
  const unknown = [...service.stored.keys()].filter((id) => !enqueued.has(id)).length;
  const ok = result.undelivered === 0 && result.changed === 0 && result.onDevice === 0 && unknown === 0;
  console.log(ok ? 'enqueued = stored + reported, nothing twice' : 'FAILED');
  return ok;
}
