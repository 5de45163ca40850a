import { describe, expect, it } from 'vitest';
import { flushOnHide, KEEPALIVE_BUDGET_BYTES } from '../../src/events/page-hide';
import { utf8Length } from '../../src/host/text-size';
import { createQueues, eventIds, ok } from '../support/event-queues';
import { type Reply, settle } from '../support/fake-platform';

const event = (eventId: string, extra = {}) => ({ eventId, name: 'step_viewed', ...extra });
const range = (count: number, prefix = 'e') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('when events are sent', () => {
  it('is five seconds after the first one, not after the last', async () => {
    const { platform, product } = createQueues(() => ok);
    product.enqueue(event('a'));
    await platform.clock.advance(4_000);
    product.enqueue(event('b'));
    await platform.clock.advance(999);
    expect(platform.requests).toHaveLength(0);
    await platform.clock.advance(1);
    expect(platform.requests.map(eventIds)).toEqual([['a', 'b']]);
    product.enqueue(event('c'));
    await platform.clock.advance(5_000);
    expect(platform.requests.map(eventIds)).toEqual([['a', 'b'], ['c']]);
    expect([product.size, platform.clock.pending]).toEqual([0, 0]);
  });

  it('is at once with 500 waiting or a terminal event', async () => {
    const { platform, flow, product } = createQueues(() => ok);
    for (const id of range(500)) product.enqueue(event(id));
    flow.enqueue(event('done'), { channelId: 'ch_1', terminal: true });
    await settle();
    expect(platform.requests.map((request) => eventIds(request).length)).toEqual([500, 1]);
  });

  it('splits by channel with its header and by 500', async () => {
    const { platform, flow } = createQueues(() => ok);
    for (const id of range(450, 'x')) flow.enqueue(event(id), { channelId: 'ch_1' });
    flow.enqueue(event('y'), { channelId: 'ch_2' });
    await flow.flush();
    expect(platform.requests.map((request) => request.init.headers['x-svc-channel'])).toEqual(['ch_1', 'ch_2']);
  });

  it('freezes events when they are taken', async () => {
    const { platform, product } = createQueues(() => ok);
    const mutable = { ...event('a'), properties: { plan: 'free' } };
    product.enqueue(mutable);
    mutable.properties.plan = 'pro';
    await platform.clock.advance(5_000);
    expect(platform.requests[0]?.body).toEqual({
      sentAt: new Date(platform.clock.time).toISOString(),
      events: [{ eventId: 'a', name: 'step_viewed', properties: { plan: 'free' } }],
    });
  });
});

describe('failures', () => {
  it.each<Reply>(['network-error', 'hang', { status: 408 }, { status: 421 }, { status: 429 }, { status: 503 }])(
    'repeats the same ids after %j',
    async (failure) => {
      const { platform, product, dropped } = createQueues((_, index) => (index === 0 ? failure : ok));
      product.enqueue(event('a'));
      await platform.clock.advance(60_000);
      expect(platform.requests.map(eventIds)).toEqual([['a'], ['a']]);
      expect([product.size, dropped()]).toEqual([0, []]);
    },
  );

  it.each<[string, Reply]>([
    ['a page of the network', { status: 200, text: '<html>Sign in to the hotel</html>' }],
    ['an empty answer', { status: 204 }],
    ['JSON of somebody else', { status: 200, body: { ok: true } }],
    ['an answer that denies it', { status: 200, body: { accepted: false } }],
    ['null', { status: 200, body: null }],
  ])('keeps its events after %s with status 200', async (_, answer) => {
    const { platform, product, dropped } = createQueues((_request, index) => (index === 0 ? answer : ok));
    product.enqueue(event('a'));
    await product.flush();
    expect(product.size).toBe(1);
    await platform.clock.advance(60_000);
    expect(platform.requests.map(eventIds)).toEqual([['a'], ['a']]);
    expect([product.size, dropped()]).toEqual([0, []]);
  });

  it('says at which level the service ignored events: debug', async () => {
    const { platform, product } = createQueues(
      () => ({ status: 200, body: { accepted: true, stored: 0, ignored: 3 } }),
      1,
      'debug',
    );
    product.enqueue(event('a'));
    await product.flush();
    expect(platform.logged).toEqual([['debug', '[svc]', '3 product events ignored by the service']]);
    expect(product.size).toBe(0);
  });

  it('sends in the order of recording whatever failed first', async () => {
    const replies: ((reply: Reply) => void)[] = [];
    const { platform, gate, flow, product } = createQueues((_, index) =>
      index < 2 ? new Promise((resolve) => replies.push(resolve)) : ok,
    );
    // Too large for a page that goes, so that the two are in different requests.
    product.enqueue(event('a', { pad: 'x'.repeat(70_000) }), { terminal: true });
    await settle();
    product.enqueue(event('b'));
    flushOnHide([flow, product], gate);
    await settle();
    expect(platform.requests.map(eventIds)).toEqual([['a'], ['b']]);
    replies[0]?.('network-error');
    await settle();
    replies[1]?.('network-error');
    await platform.clock.advance(60_000);
    expect(platform.requests.slice(2).flatMap(eventIds)).toEqual(['a', 'b']);
  });

  it('waits as long as Retry-After says, five minutes at most', async () => {
    const { platform, product } = createQueues((_, index) =>
      index === 0
        ? { status: 429, headers: { 'Retry-After': '120' } }
        : index === 1
          ? { status: 503, headers: { 'Retry-After': '7200' } }
          : ok,
    );
    product.enqueue(event('a'), { terminal: true });
    await platform.clock.advance(119_999);
    await product.flush();
    expect(platform.requests).toHaveLength(1);
    await platform.clock.advance(1);
    expect(platform.requests).toHaveLength(2);
    await platform.clock.advance(300_000);
    expect(platform.requests).toHaveLength(3);
  });

  it('lets a failing channel hold up no other', async () => {
    const { platform, flow } = createQueues((request) =>
      request.init.headers['x-svc-channel'] === 'ch_bad' ? { status: 500 } : ok,
    );
    flow.enqueue(event('bad'), { channelId: 'ch_bad' });
    flow.enqueue(event('good'), { channelId: 'ch_good' });
    await platform.clock.advance(5_000);
    flow.enqueue(event('good2'), { channelId: 'ch_good' });
    await platform.clock.advance(5_000);
    const sent = platform.requests.filter((request) => request.init.headers['x-svc-channel'] === 'ch_good');
    expect(sent.map(eventIds)).toEqual([['good'], ['good2']]);
    expect(flow.size).toBe(1);
  });

  it('halves a batch that is too large until the one that is', async () => {
    const { platform, product, reports, dropped } = createQueues((request) =>
      eventIds(request).includes('e5') ? { status: 413 } : ok,
    );
    for (const id of range(8)) product.enqueue(event(id));
    await product.flush();
    await settle();
    expect(dropped()).toEqual(['e5']);
    expect(reports[0]).toMatchObject({ reason: 'payload_too_large', path: 'product', name: 'step_viewed' });
    expect(product.size).toBe(0);
    expect(platform.requests.length).toBeLessThan(12);
  });

  it('drops and reports what the service refuses, whole or in part', async () => {
    const { product, reports } = createQueues((_, index) =>
      index === 0
        ? { status: 401, body: { code: 'invalid_key', message: 'unknown key' } }
        : {
            status: 200,
            body: { accepted: true, rejected: [{ index: 1, eventId: 'c', code: 'event_too_old', message: 'm' }] },
          },
    );
    product.enqueue(event('a'));
    await product.flush();
    product.enqueue(event('b'));
    product.enqueue(event('c'));
    await product.flush();
    expect(reports).toEqual([
      {
        code: 'event_dropped',
        path: 'product',
        eventId: 'a',
        name: 'step_viewed',
        reason: 'invalid_key',
        message: 'unknown key',
      },
      {
        code: 'event_dropped',
        path: 'product',
        eventId: 'c',
        name: 'step_viewed',
        reason: 'event_too_old',
        message: 'm',
      },
    ]);
    expect(product.size).toBe(0);
  });

  it('stops all paths on 402 and reports what waited at shutdown', async () => {
    const { platform, flow, product, reports, dropped } = createQueues(() => ({
      status: 402,
      body: { code: 'plan_limit_reached', message: 'm' },
    }));
    flow.enqueue(event('a'), { channelId: 'ch', terminal: true });
    await settle();
    product.enqueue(event('b'), { terminal: true });
    await platform.clock.advance(600_000);
    expect(platform.requests).toHaveLength(1);
    expect(reports).toEqual([{ code: 'sending_stopped', path: 'flow', reason: 'plan_limit_reached', message: 'm' }]);
    await flow.shutdown();
    await product.shutdown();
    expect(dropped()).toEqual(['a', 'b']);
  });
});

describe('bounds', () => {
  it('drops the oldest event that is not terminal beyond 2,000', async () => {
    const { platform, flow, dropped } = createQueues(() => 'network-error');
    flow.enqueue(event('done'), { channelId: 'ch_0', terminal: true });
    for (const id of range(2_001)) flow.enqueue(event(id), { channelId: 'ch_1' });
    await platform.clock.advance(0);
    expect(flow.size).toBe(2_000);
    await platform.clock.advance(1);
    expect(dropped()).toHaveLength(2);
    expect(dropped()).not.toContain('done');
    expect(new Set(dropped())).toEqual(new Set(['e500', 'e501']));
  });

  it('keeps the end of a run that has waited longest, whatever else is dropped', async () => {
    const { platform, flow, dropped } = createQueues(() => 'network-error');
    flow.enqueue(event('done'), { channelId: 'ch_0', terminal: true });
    // Its request has failed: it waits again, and is the oldest.
    await platform.clock.advance(1);
    for (const id of range(2_001)) flow.enqueue(event(id), { channelId: 'ch_0' });
    await platform.clock.advance(1);
    expect(dropped()).toEqual(['e0', 'e1']);
  });

  it('drops nothing when the network comes back with fewer than 2,000 waiting', async () => {
    let down = true;
    const stored: string[] = [];
    const { platform, product, dropped } = createQueues((request) => {
      if (down) return 'network-error';
      stored.push(...eventIds(request));
      return ok;
    });
    for (const id of range(1_999)) {
      product.enqueue(event(id));
      await platform.clock.advance(20);
    }
    down = false;
    await platform.clock.advance(40_000);
    expect(dropped()).toEqual([]);
    expect(stored).toHaveLength(1_999);
    expect(new Set(stored).size).toBe(1_999);
  });
});

describe('a page that goes', () => {
  it('sends within 60 kB over all paths and channels: terminal events first, the rest oldest first', async () => {
    const { platform, gate, flow, product } = createQueues(() => ok);
    const pad = 'ä'.repeat(500);
    for (const id of range(60, 'p')) product.enqueue(event(id, { pad }));
    for (const id of range(40, 'a')) flow.enqueue(event(id, { pad }), { channelId: 'ch_a' });
    for (const id of range(40, 'b')) flow.enqueue(event(id, { pad }), { channelId: 'ch_b' });
    platform.respond = () => 'hang';
    flow.enqueue(event('done'), { channelId: 'ch_b', terminal: true });
    await settle();
    const regular = platform.requests.length;
    flushOnHide([flow, product], gate);
    await settle();
    const kept = platform.requests.slice(regular);
    expect(kept.every((request) => request.init.keepalive)).toBe(true);
    expect(kept.flatMap(eventIds)).toContain('done');
    const bytes = kept.reduce((sum, request) => sum + utf8Length(request.init.body ?? ''), 0);
    expect(bytes).toBeLessThanOrEqual(KEEPALIVE_BUDGET_BYTES);
    expect(bytes).toBeGreaterThan(KEEPALIVE_BUDGET_BYTES - 1_500);
    expect(gate.keepaliveBytes).toBe(bytes);
    expect(kept.flatMap(eventIds)).toContain('p0');
    expect(kept.flatMap(eventIds)).not.toContain('b39');
    flushOnHide([flow, product], gate);
    await settle();
    const again = platform.requests
      .slice(regular)
      .reduce((sum, request) => sum + utf8Length(request.init.body ?? ''), 0);
    expect(again).toBeLessThanOrEqual(KEEPALIVE_BUDGET_BYTES);
  });

  it('sends in the form that browsers let through without asking the service first', async () => {
    const { platform, gate, flow, product } = createQueues(() => ok);
    flow.enqueue(event('a'), { channelId: 'ch_test_a&b' });
    product.enqueue(event('p'));
    flushOnHide([flow, product], gate);
    await settle();
    expect(platform.requests.map(({ url, init }) => [url.replace(/^.*\/v1/, ''), init.headers, init.method])).toEqual([
      ['/sdk/events?key=ob_pk_test_k&channel=ch_test_a%26b', { 'content-type': 'text/plain;charset=UTF-8' }, 'POST'],
      ['/sdk/analytics/events?key=ob_pk_test_k', { 'content-type': 'text/plain;charset=UTF-8' }, 'POST'],
    ]);
    await platform.clock.advance(60_000);
    expect([platform.requests.length, flow.size, product.size]).toEqual([2, 0, 0]);
  });

  it('sends what is left when it comes back, and nothing it knows to be stored', async () => {
    const { platform, gate, flow, product } = createQueues(() => ok);
    const pad = 'x'.repeat(20_000);
    for (const id of range(5)) product.enqueue(event(id, { pad }));
    flushOnHide([flow, product], gate);
    await settle();
    expect(product.size).toBe(3);
    await platform.clock.advance(5_000);
    expect(product.size).toBe(0);
    const ids = platform.requests.flatMap(eventIds);
    expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
  });

  it('repeats a request that the page would cancel, and counts its event once', async () => {
    const replies: ((reply: Reply) => void)[] = [];
    const { platform, gate, flow, product, dropped } = createQueues(
      () => new Promise((resolve) => replies.push(resolve)),
    );
    flow.enqueue(event('done'), { channelId: 'ch', terminal: true });
    await settle();
    flushOnHide([flow, product], gate);
    await settle();
    expect(platform.requests.map((request) => request.init.keepalive ?? false)).toEqual([false, true]);
    replies[0]?.('network-error');
    await platform.clock.advance(20_000);
    expect(platform.requests).toHaveLength(2);
    replies[1]?.(ok);
    await settle();
    expect([flow.size, dropped(), gate.keepaliveBytes]).toEqual([0, [], 0]);
  });

  it('keeps quiet while the service asked for a pause', async () => {
    const { platform, gate, flow, product } = createQueues(() => ({ status: 429, headers: { 'Retry-After': '60' } }));
    product.enqueue(event('a'), { terminal: true });
    await settle();
    flushOnHide([flow, product], gate);
    await settle();
    expect(platform.requests).toHaveLength(1);
  });
});

describe('the end', () => {
  it('tries everything once more at shutdown, then reports, and reports later events at once', async () => {
    const { platform, product, dropped } = createQueues((request) =>
      eventIds(request).includes('e0') ? 'network-error' : ok,
    );
    product.enqueue(event('e0'));
    await product.shutdown();
    expect(dropped()).toEqual(['e0']);
    product.enqueue(event('late'));
    expect(dropped()).toEqual(['e0', 'late']);
    await platform.clock.advance(60_000);
    expect(platform.requests).toHaveLength(1);
  });

  it('forgets everything on clear, also what fails afterwards', async () => {
    let fail: (reply: Reply) => void = () => undefined;
    const { platform, product, reports, dropped } = createQueues(() => new Promise((resolve) => (fail = resolve)));
    product.enqueue(event('a'), { terminal: true });
    await settle();
    product.enqueue(event('b'));
    product.clear('consent_denied');
    expect(dropped()).toEqual(['b', 'a'].sort());
    expect(reports[0]).toMatchObject({ reason: 'consent_denied' });
    fail('network-error');
    await platform.clock.advance(60_000);
    expect(platform.requests).toHaveLength(1);
  });
});
