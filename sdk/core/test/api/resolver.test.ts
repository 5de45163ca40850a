import { describe, expect, it } from 'vitest';
import { ResolveCache } from '../../src/api/resolve-cache';
import { Resolver } from '../../src/api/resolver';
import { flowEtag } from '../../src/api/types';
import { createLogger } from '../../src/host/log';
import {
  type AsyncKeyValueStore,
  createMemoryStore,
  manifestResolveCacheKey,
  parseManifestResolveCacheKey,
  type ResolveResult,
  SvcApiError,
  SvcChannelArchivedError,
  SvcChannelNotFoundError,
  SvcChannelRequiredError,
  SvcNetworkError,
  SvcTimeoutError,
} from '../../src/index';
import { FakePlatform, type Reply, settle } from '../support/fake-platform';
import { flowAnswer } from '../support/flow-answer';

const CHANNEL = 'ch_test_main';
const BASE = 'http://localhost:4000';
const ada = { identity: { appUserId: 'ada' }, locale: 'en', platform: 'web' };
const bob = { ...ada, identity: { appUserId: 'bob' } };
const ok = (extra = {}): Reply => {
  const body = flowAnswer(extra);
  return { status: 200, body, headers: { ETag: flowEtag(body) } };
};

function setUp(replies: Reply[] | ((index: number) => Reply), store: AsyncKeyValueStore | null = createMemoryStore()) {
  const platform = new FakePlatform((_, index) =>
    typeof replies === 'function' ? replies(index) : (replies[index] ?? 'network-error'),
  );
  const make = () => {
    const cache = new ResolveCache(() => store);
    const connection = { baseUrl: BASE, publishableKey: 'ob_pk_test_k', fetcher: platform.fetch };
    return { cache, resolver: new Resolver(platform, connection, cache, createLogger(platform)) };
  };
  return { platform, make, store, ...make() };
}

/** Runs the clock until the promise is settled, at most a minute. */
async function finish<T>(platform: FakePlatform, promise: Promise<T>): Promise<T> {
  let done = false;
  const watched = promise.finally(() => {
    done = true;
  });
  watched.catch(() => undefined);
  for (let ms = 0; !done && ms < 60_000; ms += 50) await platform.clock.advance(50);
  return watched;
}

describe('asking', () => {
  it('sends key, channel, identity and context', async () => {
    const { platform, resolver } = setUp([ok()]);
    expect((await resolver.resolve(` ${CHANNEL} `, { ...ada, appVersion: '2.1' })).source).toBe('network');
    expect(platform.requests[0]).toMatchObject({
      url: `${BASE}/v1/sdk/resolve`,
      init: { headers: { authorization: 'Bearer ob_pk_test_k', 'x-svc-channel': CHANNEL } },
      body: { identity: { appUserId: 'ada' }, context: { locale: 'en', platform: 'web', appVersion: '2.1' } },
    });
  });

  it('refuses a blank channel without a request', async () => {
    const { platform, resolver } = setUp([ok()]);
    await expect(resolver.resolve('  ', ada)).rejects.toBeInstanceOf(SvcChannelRequiredError);
    expect(platform.requests).toHaveLength(0);
  });

  it('shares one request between callers of one key, not between persons', async () => {
    const { platform, resolver } = setUp(() => ok());
    await Promise.all([resolver.resolve(CHANNEL, ada), resolver.resolve(CHANNEL, ada), resolver.resolve(CHANNEL, bob)]);
    expect(platform.requests).toHaveLength(2);
  });

  it('tries again on 5xx, honors Retry-After and gives up at the limit', async () => {
    const { platform, resolver } = setUp([{ status: 503, headers: { 'Retry-After': '2' } }, 'network-error', ok()]);
    const started = platform.clock.time;
    expect((await finish(platform, resolver.resolve(CHANNEL, ada))).source).toBe('network');
    expect(platform.requests).toHaveLength(3);
    expect(platform.clock.time - started).toBeGreaterThanOrEqual(2_000);

    const failing = setUp(() => 'network-error');
    const began = failing.platform.clock.time;
    await expect(finish(failing.platform, failing.resolver.resolve(CHANNEL, ada))).rejects.toBeInstanceOf(
      SvcNetworkError,
    );
    expect(failing.platform.clock.time - began).toBeLessThanOrEqual(10_050);
  });

  it('stops waiting after ten seconds', async () => {
    const { platform, resolver } = setUp(['hang']);
    await expect(finish(platform, resolver.resolve(CHANNEL, ada))).rejects.toBeInstanceOf(SvcTimeoutError);
  });

  it('sends a new request after one that hung, and the first one is ended', async () => {
    const { platform, resolver } = setUp(['hang', ok()]);
    await expect(finish(platform, resolver.resolve(CHANNEL, ada))).rejects.toBeInstanceOf(SvcTimeoutError);
    expect(platform.aborted).toBe(1);
    const again = resolver.resolve(CHANNEL, ada);
    await settle();
    expect((await again).source).toBe('network');
    expect(platform.requests).toHaveLength(2);
  });

  it('leaves a request to those who still wait for it', async () => {
    const replies: ((reply: Reply) => void)[] = [];
    const { platform, resolver } = setUp([]);
    platform.respond = () => new Promise((resolve) => replies.push(resolve));
    const impatient = resolver.resolve(CHANNEL, ada, { loadTimeoutMs: 1_000 });
    const patient = resolver.resolve(CHANNEL, ada);
    impatient.catch(() => undefined);
    await platform.clock.advance(1_000);
    await expect(impatient).rejects.toBeInstanceOf(SvcTimeoutError);
    expect(platform.aborted).toBe(0);
    const retry = resolver.resolve(CHANNEL, ada, { loadTimeoutMs: 1_000 });
    await settle();
    expect(platform.requests).toHaveLength(2);
    replies[1]?.(ok({ assignmentVersion: 2 }));
    expect((await retry).flow.assignmentVersion).toBe(2);
    replies[0]?.(ok({ assignmentVersion: 1 }));
    expect((await patient).flow.assignmentVersion).toBe(1);
    await settle();
    // The older request was overtaken: its answer is shown to who waited for it and not kept.
    expect(resolver.peek(CHANNEL, ada)?.assignmentVersion).toBe(2);
  });

  it('takes a page of the network for no answer', async () => {
    const portal: Reply = { status: 200, text: '<html>Sign in</html>' };
    const { platform, resolver } = setUp([portal, ok(), portal]);
    expect((await finish(platform, resolver.resolve(CHANNEL, ada))).source).toBe('network');
    expect((await finish(platform, resolver.resolve(CHANNEL, ada))).source).toBe('stale');
  });

  it('refuses an answer it cannot use', async () => {
    const { resolver } = setUp([{ status: 200, body: { ...flowAnswer(), kind: 'banner' } }]);
    await expect(resolver.resolve(CHANNEL, ada)).rejects.toThrow('kind');
  });
});

describe('error classes', () => {
  it.each<[number, string, new (...args: never[]) => Error]>([
    [400, 'channel_required', SvcChannelRequiredError],
    [404, 'channel_not_found', SvcChannelNotFoundError],
    [404, 'channel_unassigned', SvcChannelNotFoundError],
    [410, 'channel_archived', SvcChannelArchivedError],
    [402, 'plan_limit_reached', SvcApiError],
    [401, 'invalid_key', SvcApiError],
  ])('%d %s', async (status, code, type) => {
    const { platform, resolver } = setUp([{ status, body: { error: code, message: 'm' } }]);
    const error = await resolver.resolve(CHANNEL, ada).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code, status });
    expect(platform.requests).toHaveLength(1);
  });
});

describe('cache', () => {
  it('asks with the tag and reuses the body on 304, also after a restart', async () => {
    const { platform, resolver, make } = setUp([ok(), { status: 304 }, { status: 304 }]);
    await resolver.resolve(CHANNEL, ada);
    expect((await resolver.resolve(CHANNEL, ada)).source).toBe('revalidated');
    await settle();
    const restarted = await make().resolver.resolve(CHANNEL, ada);
    expect(restarted.flow.versionId).toBe(flowAnswer().versionId);
    expect(platform.requests[2]?.init.headers['if-none-match']).toBe('"1-b0000000-0000-4000-8000-000000000001"');
  });

  it('does not keep an answer without a tag, and 304 without a body is an error', async () => {
    const { resolver, platform } = setUp([{ status: 200, body: flowAnswer() }, { status: 304 }]);
    await resolver.resolve(CHANNEL, ada);
    await expect(resolver.resolve(CHANNEL, ada)).rejects.toMatchObject({ status: 304 });
    expect(platform.requests[1]?.init.headers['if-none-match']).toBeUndefined();
  });

  it.each<Reply>(['network-error', { status: 421 }, { status: 429 }, { status: 500 }])(
    'serves what it has on %j at once',
    async (failure) => {
      const { resolver, platform } = setUp([ok(), failure]);
      await resolver.resolve(CHANNEL, ada);
      const before = platform.clock.time;
      expect((await resolver.resolve(CHANNEL, ada)).source).toBe('stale');
      expect(platform.clock.time).toBe(before);
    },
  );

  it('serves what it has after three seconds of silence and takes the late answer next time', async () => {
    let release: (reply: Reply) => void = () => undefined;
    const { resolver, platform } = setUp([ok()]);
    await resolver.resolve(CHANNEL, ada);
    platform.respond = () => new Promise((resolve) => (release = resolve));
    const started = platform.clock.time;
    const stale = await finish(platform, resolver.resolve(CHANNEL, ada));
    expect([stale.source, platform.clock.time - started]).toEqual(['stale', 3_000]);
    release(ok({ assignmentVersion: 2 }));
    await settle();
    expect(resolver.peek(CHANNEL, ada)?.assignmentVersion).toBe(2);
  });

  it('starts with what it has where that is wanted, and asks for the next time', async () => {
    let release: (reply: Reply) => void = () => undefined;
    const { resolver, platform } = setUp([ok()]);
    await resolver.resolve(CHANNEL, ada, { loading: 'cache-first' });
    platform.respond = () => new Promise((resolve) => (release = resolve));
    const started = platform.clock.time;
    expect(await resolver.resolve(CHANNEL, ada, { loading: 'cache-first' })).toMatchObject({ source: 'cached' });
    expect(platform.clock.time).toBe(started);
    await settle();
    release(ok({ assignmentVersion: 2 }));
    await settle();
    const next = await resolver.resolve(CHANNEL, ada, { loading: 'cache-first' });
    expect([next.source, next.flow.assignmentVersion]).toEqual(['cached', 2]);
    const other = resolver.resolve(CHANNEL, bob, { loading: 'cache-first' });
    await settle();
    release(ok({ variantId: 'arm-of-bob' }));
    expect((await other).source).toBe('network');
  });

  it.each([404, 410])('forgets the channel on %d', async (status) => {
    const { resolver, make } = setUp([ok(), { status }, 'network-error', 'network-error']);
    await resolver.resolve(CHANNEL, ada);
    await expect(resolver.resolve(CHANNEL, ada)).rejects.toMatchObject({ status });
    await settle();
    expect(resolver.peek(CHANNEL, ada)).toBeUndefined();
    expect(await make().cache.list()).toEqual([]);
  });

  it.each([401, 402, 403])('serves nothing old on %d', async (status) => {
    const { resolver } = setUp([ok(), { status }]);
    await resolver.resolve(CHANNEL, ada);
    await expect(resolver.resolve(CHANNEL, ada)).rejects.toMatchObject({ status });
  });

  it('never shows one person the flow of another, online or off', async () => {
    const { platform, resolver } = setUp([ok({ variantId: 'arm-of-ada' })]);
    await resolver.prefetch(CHANNEL, ada);
    expect(resolver.peek(CHANNEL, bob)).toBeUndefined();
    await expect(finish(platform, resolver.resolve(CHANNEL, bob))).rejects.toBeInstanceOf(SvcNetworkError);
    expect(platform.requests[1]?.init.headers['if-none-match']).toBeUndefined();
  });

  it('falls back to the bundled answer of the channel when offline, not when the channel is gone', async () => {
    const bundled = { [CHANNEL]: flowAnswer({ versionNumber: 7 }) };
    const offline = setUp([]);
    const result: ResolveResult = await finish(offline.platform, offline.resolver.resolve(CHANNEL, ada, { bundled }));
    expect([result.source, result.flow.versionNumber]).toEqual(['bundled', 7]);
    const gone = setUp([{ status: 410 }]);
    await expect(gone.resolver.resolve(CHANNEL, ada, { bundled })).rejects.toBeInstanceOf(SvcChannelArchivedError);
  });
});

describe('device store', () => {
  const entry = (index: number, size = 10) => ({
    etag: `"${index}"`,
    cachedAt: index,
    body: flowAnswer({ mediaMap: { pad: 'x'.repeat(size) } }),
  });
  const key = (index: number) => manifestResolveCacheKey(BASE, 'ob_pk_test_k', `ch_test_${index}`, 'en', 'ada');
  const stored = (store: { keys(): string[] }) => store.keys().filter((name) => name.startsWith('svc:resolve:'));

  it('keeps twenty entries and drops the one used longest ago', async () => {
    const store = createMemoryStore();
    const cache = new ResolveCache(() => store);
    for (let i = 0; i < 20; i += 1) await cache.write(key(i), entry(i));
    await cache.read(key(0));
    await cache.write(key(20), entry(20));
    expect(stored(store)).toHaveLength(20);
    expect(store.getItem(key(0))).not.toBeNull();
    expect(store.getItem(key(1))).toBeNull();
    expect((await cache.list())[0]?.cachedAt).toBe(20);
    expect(await cache.clear()).toBe(21);
    expect(stored(store)).toHaveLength(0);
  });

  it('keeps an entry of more than 1 MiB in memory only', async () => {
    const store = createMemoryStore();
    const cache = new ResolveCache(() => store);
    await cache.write(key(1), entry(1));
    await cache.write(key(1), entry(2, 1024 * 1024));
    expect(store.getItem(key(1))).toBeNull();
    expect(cache.peek(key(1))?.etag).toBe('"2"');
  });

  it('makes room in a full store by dropping its own oldest entries', async () => {
    const store = createMemoryStore();
    const limit = 4_000;
    const full = {
      ...store,
      setItem(name: string, value: string) {
        const used = store
          .keys()
          .reduce((sum, other) => sum + (other === name ? 0 : (store.getItem(other)?.length ?? 0)), 0);
        if (used + value.length > limit) throw new Error('QuotaExceededError');
        store.setItem(name, value);
      },
    };
    const cache = new ResolveCache(() => full);
    for (let i = 0; i < 6; i += 1) await cache.write(key(i), entry(i, 600));
    expect(store.getItem(key(5))).not.toBeNull();
    expect(store.getItem(key(0))).toBeNull();
    expect(cache.peek(key(0))).toBeDefined();
  });

  it('works in memory when the store throws at everything or holds rubbish', async () => {
    const refuse = () => {
      throw new Error('blocked');
    };
    const { resolver } = setUp([ok(), { status: 304 }], {
      getItem: refuse,
      setItem: refuse,
      removeItem: refuse,
      keys: refuse,
    });
    await resolver.resolve(CHANNEL, ada);
    expect((await resolver.resolve(CHANNEL, ada)).source).toBe('revalidated');

    const store = createMemoryStore();
    store.setItem(key(1), '{"etag":');
    store.setItem(key(2), '[]');
    const cache = new ResolveCache(() => store);
    expect([await cache.read(key(1)), await cache.read(key(2))]).toEqual([undefined, undefined]);
  });

  it('takes keys apart from the right', () => {
    const made = manifestResolveCacheKey('http://localhost:4000/', 'ob_pk_test_k', ' ch_1 ', undefined, 'a:b/ü');
    expect(made).toBe('svc:resolve:http://localhost:4000:ob_pk_test_k:ch_1::a%3Ab%2F%C3%BC');
    expect(parseManifestResolveCacheKey(made)).toEqual({
      baseUrl: 'http://localhost:4000',
      publishableKey: 'ob_pk_test_k',
      channelId: 'ch_1',
      locale: '',
      appUserId: 'a:b/ü',
    });
    expect(parseManifestResolveCacheKey('svc:resolve-order')).toBeNull();
  });
});

describe('prefetch', () => {
  it('fills the cache of all known channels and leaves other kinds out', async () => {
    const { platform, resolver } = setUp([
      {
        status: 200,
        body: { channels: [flowAnswer(), { kind: 'code', channelId: 'ch_test_code' }, { nonsense: true }] },
      },
      { status: 304 },
    ]);
    await resolver.prefetchAll(ada);
    expect(platform.requests[0]?.init.headers['x-svc-channel']).toBeUndefined();
    expect((await resolver.resolve(CHANNEL, ada)).source).toBe('revalidated');
    expect(platform.requests[1]?.init.headers['if-none-match']).toBe(flowEtag(flowAnswer()));
  });

  it('swallows every failure', async () => {
    const { platform, resolver } = setUp([{ status: 500 }, { status: 404 }]);
    await resolver.prefetchAll(ada);
    await resolver.prefetch(CHANNEL, ada);
    expect(platform.logged).toEqual([]);
  });
});
