import { describe, expect, it } from 'vitest';
import { EVENT_STORE_MAX_BYTES, EventStore } from '../../src/events/event-store';
import { MAX_QUEUED_BYTES } from '../../src/events/queue';
import { utf8Length } from '../../src/host/text-size';
import { type AsyncKeyValueStore, createMemoryStore, type KeyValueStore, type SvcConfig } from '../../src/index';
import { CHANNEL, createClient } from '../support/client';
import { createQueues, ok } from '../support/event-queues';
import { FakePlatform, type Reply, type SeenRequest, settle } from '../support/fake-platform';
import { flowAnswer } from '../support/flow-answer';

const config: Partial<SvcConfig> = { persistence: 'device', analytics: { consent: 'granted' } };

interface Sent {
  eventId: string;
  name: string;
}

/** A device whose pages come and go, and a service that keeps what it took, by id. */
function device(store: AsyncKeyValueStore = createMemoryStore()) {
  const stored = new Map<string, string>();
  const times = new Map<string, number>();
  const world = { online: true, answer: { status: 200, body: { accepted: true } } as Reply };
  const respond = (request: SeenRequest): Reply => {
    if (!world.online) return 'network-error';
    const events = (request.body as { events?: Sent[] } | undefined)?.events ?? [];
    if (world.answer !== 'network-error' && world.answer !== 'hang' && world.answer.status === 200) {
      for (const { eventId, name } of events) {
        stored.set(eventId, name);
        times.set(eventId, (times.get(eventId) ?? 0) + 1);
      }
    }
    return world.answer;
  };
  const small = createMemoryStore();
  const load = (extra: Partial<SvcConfig> = {}, options: { kind?: 'web' | 'app'; time?: number } = {}) => {
    const platform = new FakePlatform(respond, 1 + times.size + stored.size);
    platform.storage = small;
    Object.assign(platform, { cacheStorage: store });
    if (options.time) platform.clock.time = options.time;
    const set = createClient({ platform, config: { ...config, ...extra }, kind: options.kind ?? 'web' });
    set.client.reopen();
    return set;
  };
  const keys = async () => (await store.keys()).filter((key) => key.startsWith('svc:event:'));
  return { load, stored, times, world, keys, small };
}

/** A store that answers later, as those of phones do. */
const slow = () => slowOver(createMemoryStore());

function slowOver(inner: KeyValueStore): AsyncKeyValueStore {
  return {
    getItem: async (key) => inner.getItem(key),
    setItem: async (key, value) => inner.setItem(key, value),
    removeItem: async (key) => inner.removeItem(key),
    keys: async () => inner.keys(),
  };
}

/** A slow store that lists its keys only when it is let go on. */
function paused() {
  const inner = createMemoryStore();
  let reading: Promise<void> | undefined;
  const keys = async () => {
    await reading;
    return inner.keys();
  };
  const pause = () => {
    let goOn: () => void = () => undefined;
    reading = new Promise((resolve) => (goOn = resolve));
    return () => goOn();
  };
  return { store: { ...slowOver(inner), keys }, inner, pause };
}

const names = (set: ReturnType<typeof createClient>) => set.seen.map(({ event }) => event.name);
const ids = (set: ReturnType<typeof createClient>) => set.seen.map(({ event }) => event.eventId);

describe.each([
  ['a browser', createMemoryStore],
  ['a phone', slow],
])('events on the device of %s', (_, makeStore) => {
  it('survive the end of the page, in order, with all that they said', async () => {
    const { load, stored, world, keys } = device(makeStore());
    world.online = false;
    const first = load();
    first.client.pageView();
    first.client.logEvent('a', { plan: 'größer', n: 1e21 });
    first.client.track('b');
    const run = first.client.runs.create(flowAnswer(), CHANNEL);
    run.start();
    run.respond({ kind: 'cta', action: 'primary' });
    await first.platform.clock.advance(20_000);
    expect([stored.size, (await keys()).length]).toEqual([0, first.seen.length]);

    world.online = true;
    const second = load({}, { time: first.platform.clock.time + 86_400_000 });
    await second.platform.clock.advance(6_000);
    expect([...stored.keys()].sort()).toEqual(ids(first).sort());
    expect([...stored.values()].sort()).toEqual(names(first).sort());
    const flow = second.posts('/v1/sdk/events')[0];
    expect(flow?.init.headers['x-svc-channel']).toBe(CHANNEL);
    const sent = second.posts('/analytics/events')[0]?.body as { events: object[] };
    const product = first.seen.flatMap((entry) => (entry.path === 'product' ? [entry.event] : []));
    expect(sent.events).toEqual(JSON.parse(JSON.stringify(product)));
    expect([await keys(), second.reports]).toEqual([[], []]);
    const third = load();
    await third.platform.clock.advance(60_000);
    expect(third.platform.requests).toEqual([]);
  });

  it('are neither lost nor stored twice by two tabs', async () => {
    const { load, stored, world, keys } = device(makeStore());
    world.online = false;
    const one = load();
    one.client.logEvent('one');
    await one.platform.clock.advance(1_000);
    const two = load();
    two.client.logEvent('two');
    await two.platform.clock.advance(10_000);
    world.online = true;
    await two.platform.clock.advance(60_000);
    one.client.logEvent('three');
    await one.platform.clock.advance(60_000);
    expect([...stored.keys()].sort()).toEqual([...ids(one), ...ids(two)].sort());
    expect([await keys(), one.reports, two.reports]).toEqual([[], [], []]);
  });

  it('are reported once and gone after a denial, those of earlier visits too', async () => {
    const { load, stored, world, keys, small } = device(makeStore());
    world.online = false;
    const first = load();
    first.client.logEvent('earlier');
    await first.platform.clock.advance(1_000);
    const second = load({ analytics: { consent: 'pending' } });
    await second.platform.clock.advance(20_000);
    expect(second.platform.requests).toEqual([]);
    second.client.setAnalyticsConsent('denied');
    await settle();
    await settle();
    const dropped = second.reports.map((report) => report.code === 'event_dropped' && [report.eventId, report.reason]);
    expect(dropped.sort()).toEqual(
      ids(first)
        .map((id) => [id, 'consent_denied'])
        .sort(),
    );
    expect([await keys(), small.keys()]).toEqual([[], []]);

    const third = load();
    third.client.logEvent('now');
    const run = third.client.runs.create(flowAnswer(), CHANNEL);
    run.start();
    await settle();
    expect(await keys()).toHaveLength(third.seen.length);
    third.client.setAnalyticsConsent('denied');
    await third.platform.clock.advance(1_000);
    const product = third.seen.filter(({ path }) => path === 'product').map(({ event }) => event.eventId);
    expect(third.reports.map((report) => report.code === 'event_dropped' && report.eventId).sort()).toEqual(
      product.sort(),
    );
    expect(await keys()).toEqual([]);
    world.online = true;
    // Events of the run need no consent: memory still has them.
    await third.platform.clock.advance(60_000);
    expect([...stored.values()]).toEqual(['flow_started', 'attribution_context_observed', 'step_viewed']);
  });

  it('wait for consent, and are taken up with it', async () => {
    const { load, stored, world, keys } = device(makeStore());
    world.online = false;
    const first = load({ analytics: { consent: 'pending' } });
    const run = first.client.runs.create(flowAnswer(), CHANNEL);
    run.start();
    await settle();
    expect(await keys()).toEqual([]);
    first.client.setAnalyticsConsent('granted');
    await first.platform.clock.advance(1_000);
    expect(await keys()).toHaveLength(first.seen.length);
    world.online = true;
    const second = load({ analytics: { consent: 'pending' } });
    await second.platform.clock.advance(60_000);
    expect(stored.size).toBe(0);
    second.client.setAnalyticsConsent('granted');
    await second.platform.clock.advance(60_000);
    expect(ids(first).filter((id) => !stored.has(id))).toEqual([]);
    expect(await keys()).toEqual([]);
  });

  it.each<[string, (set: ReturnType<typeof createClient>) => void]>([
    ['reset', ({ client }) => client.reset()],
    ['another user id', ({ client, config: now }) => client.updateConfig({ ...now, userId: 'bob' })],
    ['persistence in memory', ({ client, config: now }) => client.updateConfig({ ...now, persistence: 'memory' })],
  ])('leave it on %s, and are still delivered', async (_name, leave) => {
    const { load, stored, world, keys } = device(makeStore());
    world.online = false;
    const set = load({ userId: 'ada' });
    set.client.logEvent('a');
    await settle();
    expect(await keys()).not.toEqual([]);
    leave(set);
    await settle();
    expect(await keys()).toEqual([]);
    world.online = true;
    await set.platform.clock.advance(60_000);
    expect([...stored.keys()].sort()).toEqual(ids(set).sort());
  });

  it('outlive a provider that goes offline, without being reported, and are dropped for good when refused', async () => {
    const { load, stored, world, keys } = device(makeStore());
    world.online = false;
    const set = load();
    set.client.logEvent('a');
    await set.client.close();
    set.client.logEvent('closed');
    await settle();
    expect([set.reports, (await keys()).length]).toEqual([[], set.seen.length]);
    set.client.reopen();
    await settle();
    world.online = true;
    world.answer = { status: 401, body: { code: 'invalid_key', message: 'm' } };
    await set.platform.clock.advance(60_000);
    const dropped = set.reports.map((report) => report.code === 'event_dropped' && report.eventId);
    expect(dropped.sort()).toEqual(ids(set).sort());
    expect([stored.size, await keys()]).toEqual([0, []]);
  });
});

it('what is being removed from a slow device is not read again', async () => {
  const inner = createMemoryStore();
  const store = new EventStore(
    { ...slowOver(inner), removeItem: () => new Promise(() => undefined) },
    'app',
    () => true,
  );
  store.add('track', {
    eventId: 'e1',
    name: 'a',
    json: '{"eventId":"e1"}',
    bytes: 16,
    channelId: '',
    terminal: false,
    recordedAt: 1,
    sequence: 0,
  });
  await settle();
  expect((await store.load()).map(({ eventId }) => eventId)).toEqual(['e1']);
  store.remove('e1');
  expect(inner.keys()).toHaveLength(1);
  expect(await store.load()).toEqual([]);
});

it('what is still being read when consent is denied is reported once and never sent', async () => {
  const { store, inner, pause } = paused();
  const { load, stored, world } = device(store);
  world.online = false;
  const first = load();
  await settle();
  first.client.logEvent('a');
  await first.platform.clock.advance(10_000);
  const latest = ids(first)[ids(first).length - 1] ?? '-';
  const [kept] = inner.keys().filter((key) => key.startsWith('svc:event:') && key.includes(latest));
  expect(kept).toBeDefined();

  world.online = true;
  const goOn = pause();
  const second = load();
  await settle();
  second.client.setAnalyticsConsent('denied');
  goOn();
  await second.platform.clock.advance(60_000);
  expect([...stored.keys()].filter((id) => ids(first).includes(id))).toEqual([]);
  const dropped = second.reports.flatMap((report) => (report.code === 'event_dropped' ? [report.eventId] : []));
  expect(ids(first).map((id) => dropped.filter((one) => one === id).length)).toEqual(ids(first).map(() => 1));
});

it('what memory still delivers is not reported when a denial that was taken back finds it on the device', async () => {
  const { store, pause } = paused();
  const { load, stored, world } = device(store);
  world.online = false;
  const { client, platform, reports } = load();
  await settle();
  client.track('b');
  await platform.clock.advance(10_000);
  const goOn = pause();
  client.setAnalyticsConsent('denied');
  client.setAnalyticsConsent('granted');
  await settle();
  goOn();
  await settle();
  world.online = true;
  await platform.clock.advance(60_000);
  expect([...stored.values()]).toContain('b');
  expect(reports.flatMap((report) => (report.code === 'event_dropped' ? [report.name] : []))).not.toContain('b');
});

it('events of another app or service on the same device are left alone', async () => {
  const { load, stored, world, keys } = device();
  world.online = false;
  const first = load();
  first.client.logEvent('a');
  world.online = true;
  const other = load({ publishableKey: 'ob_pk_live_other' });
  await other.platform.clock.advance(60_000);
  expect([stored.size, (await keys()).length]).toEqual([0, first.seen.length]);
});

it('nothing is kept without the option', async () => {
  const { load, world, keys } = device();
  world.online = false;
  const set = load({ persistence: 'memory' });
  set.client.logEvent('a');
  await set.platform.clock.advance(20_000);
  expect(await keys()).toEqual([]);
  await set.client.close();
  expect(set.reports).toHaveLength(set.seen.length);
});

it('copies stay within 1 MiB: the oldest are given up first, terminal events last, and memory delivers all', async () => {
  const store = createMemoryStore();
  const { load, stored, world, keys } = device(store);
  world.online = false;
  const set = load();
  const run = set.client.runs.create(flowAnswer(), CHANNEL);
  run.start();
  run.respond({ kind: 'cta', action: 'primary' });
  const pad = 'ä'.repeat(10_000);
  for (let i = 0; i < 100; i += 1) set.client.logEvent(`e${i}`, { pad });
  const kept = await keys();
  const bytes = kept.reduce((sum, key) => sum + utf8Length(key) + utf8Length(store.getItem(key) ?? ''), 0);
  expect(bytes).toBeLessThanOrEqual(EVENT_STORE_MAX_BYTES);
  expect(bytes).toBeGreaterThan(EVENT_STORE_MAX_BYTES - 25_000);
  const texts = kept.map((key) => store.getItem(key) ?? '').join('\n');
  expect(['"e99"', '"e0"', '"flow_completed"'].map((name) => texts.includes(name))).toEqual([true, false, true]);
  world.online = true;
  await set.platform.clock.advance(120_000);
  expect([...stored.keys()].sort()).toEqual(ids(set).sort());
  expect([set.reports, await keys()]).toEqual([[], []]);
});

it('a queue holds at most 4 MiB, and reports what it lets go', () => {
  const { product, dropped } = createQueues(() => ok);
  const pad = 'x'.repeat(60_000);
  for (let i = 0; i < 80; i += 1)
    product.enqueue({ eventId: `e${i}`, name: 'n', pad } as { eventId: string; name: string });
  const fitting = Math.floor(MAX_QUEUED_BYTES / JSON.stringify({ eventId: 'e10', name: 'n', pad }).length);
  expect(product.size).toBe(fitting);
  expect(dropped()).toEqual(Array.from({ length: 80 - fitting }, (_, i) => `e${i}`));
});

it('a store that throws, or holds rubbish, means memory only', async () => {
  const refuse = () => {
    throw new Error('blocked');
  };
  const blocked = device({ getItem: refuse, setItem: refuse, removeItem: refuse, keys: refuse });
  const set = blocked.load();
  set.client.logEvent('a');
  await set.platform.clock.advance(60_000);
  expect([...blocked.stored.keys()].sort()).toEqual(ids(set).sort());
  await set.client.close();
  set.client.logEvent('closed');
  expect(set.reports).toMatchObject([{ code: 'event_dropped', reason: 'shutdown' }]);

  const store = createMemoryStore();
  const prefix = 'svc:event:http://localhost:4000:ob_pk_test_k:';
  store.setItem(`${prefix}product:x`, 'nonsense');
  store.setItem(`${prefix}product:y`, '["",false,"n",1,1]\n{"eventId":"z"}');
  store.setItem(`${prefix}product:v`, '["",false,"n","1",1]\n{"eventId":"v"}');
  store.setItem(`${prefix}nowhere:w`, '["",false,"n",1,1]\n{"eventId":"w"}');
  store.setItem(`${prefix}track:good`, '["",false,"n",1,1]\n{"eventId":"good","name":"n"}');
  const { load, stored } = device(store);
  const other = load();
  await other.platform.clock.advance(60_000);
  expect([[...stored.keys()], store.keys()]).toEqual([['good'], []]);
});
