import { createMemoryStore } from '@svc/core';
import { type AttributionProvider, createDefaultAttributionProviders } from '../../src/attribution/providers';
import {
  type AttributionRuntimeOptions,
  buildAttributionStorageKey,
  createAttributionRuntime,
} from '../../src/attribution/runtime';
import type { AttributionSnapshot } from '../../src/attribution/snapshot';

const DAY = 86_400_000;

/** A provider that says what the test says. */
function fakeProvider(id = 'appsflyer', available = true) {
  const listeners = new Set<(snapshot: AttributionSnapshot) => void>();
  const provider: AttributionProvider = {
    id,
    isAvailable: () => available,
    start: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const say = (acquisition: AttributionSnapshot['acquisition'], capturedAtMs = 1) => {
    for (const listener of [...listeners])
      listener({ providerId: id, capturedAtMs, ...(acquisition ? { acquisition } : {}) });
  };
  return { provider, say, listeners };
}

function setUp(options: Partial<AttributionRuntimeOptions> = {}) {
  const { provider, say, listeners } = fakeProvider();
  const storage = createMemoryStore();
  const clock = { now: 1_000_000 };
  const runtime = createAttributionRuntime({
    providers: [provider],
    namespace: () => 'ada',
    storage,
    now: () => clock.now,
    session: createMemoryStore(),
    ...options,
  });
  return { runtime, say, storage, clock, listeners };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const on = { features: { attribution: true }, integrations: { appsflyer: { enabled: true } } };

it('keys are those of the person, cut and never blank', () => {
  expect(buildAttributionStorageKey(' ada ')).toBe('svc.attribution.cache.v1.ada');
  expect(buildAttributionStorageKey('  ')).toBe('svc.attribution.cache.v1.anonymous');
  expect(buildAttributionStorageKey('x'.repeat(300))).toHaveLength('svc.attribution.cache.v1.'.length + 180);
});

describe('sessions', () => {
  it('wait for the first snapshot with something in it, and keep it', async () => {
    const { runtime, say } = setUp();
    runtime.start();
    const begun = runtime.begin('s1');
    expect(begun).toBeInstanceOf(Promise);
    say({ source: '' });
    say({ source: 'ads' });
    say({ source: 'later' });
    expect(await begun).toEqual({ 'attribution.provider': 'appsflyer', 'acquisition.source': 'ads' });
    expect(runtime.restore('s1')).toMatchObject({ 'acquisition.source': 'ads' });
    expect(runtime.restore('s0')).toBeUndefined();
    expect(runtime.begin('s2')).toMatchObject({ 'acquisition.source': 'later' });
  });

  it('do not wait where no provider is there, and give up with what is known from before', async () => {
    const missing = setUp({ providers: [fakeProvider('appsflyer', false).provider] });
    missing.runtime.start();
    expect(missing.runtime.begin('s1')).toEqual({});
    const first = setUp();
    first.runtime.start();
    first.say({ source: 'ads' });
    await settle();
    const second = setUp({ storage: first.storage });
    second.runtime.start();
    await settle();
    expect(second.runtime.begin('s2')).toBeInstanceOf(Promise);
    expect(second.runtime.giveUp('s2')).toMatchObject({ 'acquisition.source': 'ads' });
  });
});

describe('what is kept', () => {
  async function kept(change: (entry: Record<string, unknown>) => Record<string, unknown>, after = 0) {
    const first = setUp();
    first.runtime.start();
    first.say({ source: 'ads' }, 5);
    await settle();
    const key = buildAttributionStorageKey('ada');
    const entry = JSON.parse(first.storage.getItem(key) ?? '{}') as Record<string, unknown>;
    expect(entry).toEqual({
      schemaVersion: 1,
      cachedAtMs: 1_000_000,
      snapshot: { providerId: 'appsflyer', capturedAtMs: 5, acquisition: { source: 'ads' } },
    });
    first.storage.setItem(key, JSON.stringify(change(entry)));
    const second = setUp({ storage: first.storage });
    second.clock.now += after;
    second.runtime.start();
    await settle();
    return { ...second, storage: first.storage };
  }

  it.each([
    ['at once', 0, true],
    ['after a day', DAY, true],
    ['after more than a day', DAY + 1, false],
    ['before it was written', -1, false],
  ])('counts %s: %p', async (_, after, counts) => {
    const { runtime } = await kept((entry) => entry, after);
    expect(runtime.snapshot !== null).toBe(counts);
  });

  it('does not count in another form', async () => {
    for (const change of [
      () => ({ schemaVersion: 2 }),
      (entry: object) => ({ ...entry, snapshot: { providerId: 4 } }),
      (entry: object) => ({ ...entry, snapshot: { providerId: 'p', capturedAtMs: 1 } }),
      (entry: object) => ({ ...entry, cachedAtMs: 'x' }),
    ]) {
      expect((await kept(change)).runtime.snapshot).toBeNull();
    }
  });

  it('gives way to what is said in this launch, and belongs to one person', async () => {
    let who = 'ada';
    const first = await kept((entry) => entry);
    const second = setUp({ storage: first.storage, namespace: () => who });
    second.runtime.start();
    await settle();
    expect(second.runtime.attributes['acquisition.source']).toBe('ads');
    who = 'bob';
    await second.runtime.changeNamespace();
    expect(second.runtime.attributes).toEqual({});
    second.say({ campaign: 'live' });
    expect(second.runtime.attributes).toEqual({ 'attribution.provider': 'appsflyer', 'acquisition.campaign': 'live' });
  });

  it('may be nothing: storage that fails or is none is no loss', async () => {
    const failing = {
      getItem: () => Promise.reject(new Error('blocked')),
      setItem: () => Promise.reject(new Error('full')),
    };
    for (const storage of [null, failing]) {
      const { runtime, say } = setUp({ storage });
      runtime.start();
      say({ source: 'ads' });
      await settle();
      expect(runtime.attributes['acquisition.source']).toBe('ads');
    }
  });
});

describe('runs', () => {
  it('see what is known where the service allows it', () => {
    const { runtime, say } = setUp();
    const changed = jest.fn();
    runtime.onChange(changed);
    runtime.start();
    say({ source: 'ads' });
    expect(changed).toHaveBeenCalledTimes(1);
    expect(runtime.forRun(on)).toMatchObject({ 'acquisition.source': 'ads' });
    expect(runtime.forRun({ integrations: { appsflyer: { enabled: false } } })).toEqual({});
    expect(runtime.forRun({})).toEqual({});
  });

  it("need no AppsFlyer integration for a provider of the host's own", () => {
    const own = fakeProvider('own');
    const { runtime } = setUp({ providers: [own.provider] });
    runtime.start();
    own.say({ source: 'ads' });
    expect(runtime.forRun({})).toMatchObject({ 'attribution.provider': 'own' });
  });

  it('end the listening when the service has switched attribution off', () => {
    const { runtime, say, listeners } = setUp();
    runtime.start();
    say({ source: 'ads' });
    expect(runtime.forRun({ ...on, features: { attribution: false } })).toEqual({});
    expect(listeners.size).toBe(0);
  });
});

it('stops and forgets when the host wants no attribution any more', () => {
  const { runtime, say, listeners } = setUp();
  runtime.start();
  runtime.start();
  expect(listeners.size).toBe(1);
  say({ source: 'ads' });
  runtime.disable();
  expect([listeners.size, runtime.snapshot]).toEqual([0, null]);
});

it('looks for AppsFlyer by default', () => {
  expect(createDefaultAttributionProviders().map(({ id }) => id)).toEqual(['appsflyer']);
});
