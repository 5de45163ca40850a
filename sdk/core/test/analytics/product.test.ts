import { describe, expect, it } from 'vitest';
import { AnonymousId } from '../../src/analytics/identity';
import { ProductAnalytics } from '../../src/analytics/product';
import { SESSION_TIMEOUT_MS, SessionStore } from '../../src/analytics/session';
import {
  NO_ATTRIBUTION,
  type SessionAttribution,
  WebSessionAttribution,
} from '../../src/analytics/session-attribution';
import { createLogger } from '../../src/host/log';
import { type AttributionAttributes, createMemoryStore, type KeyValueStore, type ProductEvent } from '../../src/index';
import { createQueues, ok } from '../support/event-queues';
import { settle } from '../support/fake-platform';

function setUp(
  options: { attribution?: SessionAttribution; store?: KeyValueStore; first?: 'first_visit' | 'first_open' } = {},
) {
  const { platform, product: queue, reports } = createQueues(() => ok);
  const store = options.store ?? platform.storage;
  const events: ProductEvent[] = [];
  const invalid: string[] = [];
  const person: { customUserId?: string } = {};
  const open = () => {
    const analytics = new ProductAnalytics({
      platform,
      queue,
      sessions: new SessionStore(platform, store),
      attribution: options.attribution ?? NO_ATTRIBUTION,
      firstEvent: options.first ?? 'first_visit',
      identity: () => ({ appUserId: 'device', ...person }),
      context: () => ({ platform: 'web', appVersion: '1.0' }),
      logger: createLogger(platform, 'debug'),
      onEvent: (event) => events.push(event),
      onInvalid: (_, name) => invalid.push(name),
    });
    analytics.start();
    return analytics;
  };
  const names = () => events.map((event) => event.name);
  return { platform, queue, store, events, names, invalid, person, reports, open, analytics: open() };
}

describe('sessions', () => {
  it('begin with session_start and the first visit, before the event that began them', () => {
    const { analytics, events, names, platform } = setUp();
    analytics.pageView('/pricing');
    analytics.logEvent('signed_up', { plan: 'pro' });
    expect(names()).toEqual(['session_start', 'first_visit', 'page_view', 'signed_up']);
    expect(new Set(events.map((event) => event.identity.sessionId)).size).toBe(1);
    expect(new Set(events.map((event) => event.eventId)).size).toBe(4);
    expect(events[2]).toEqual({
      eventId: events[2]?.eventId,
      name: 'page_view',
      timestamp: new Date(platform.now()).toISOString(),
      screenName: '/pricing',
      identity: { appUserId: 'device', sessionId: events[0]?.identity.sessionId },
      context: { platform: 'web', appVersion: '1.0' },
    });
  });

  it('go on for exactly thirty minutes, and end a millisecond later', async () => {
    const { analytics, names, platform } = setUp();
    analytics.logEvent('a');
    await platform.clock.advance(SESSION_TIMEOUT_MS);
    analytics.logEvent('b');
    await platform.clock.advance(SESSION_TIMEOUT_MS + 1);
    analytics.logEvent('c');
    expect(names()).toEqual(['session_start', 'first_visit', 'a', 'b', 'session_start', 'c']);
  });

  it('end when the clock went back', () => {
    const { analytics, names, platform } = setUp();
    analytics.logEvent('a');
    platform.clock.time -= 1;
    analytics.logEvent('b');
    expect(names()).toEqual(['session_start', 'first_visit', 'a', 'session_start', 'b']);
  });

  it('are shared by two tabs and survive a restart', async () => {
    const { analytics, open, events, names, platform } = setUp();
    const other = open();
    analytics.logEvent('a');
    other.logEvent('b');
    await platform.clock.advance(SESSION_TIMEOUT_MS - 1);
    other.logEvent('c');
    await platform.clock.advance(SESSION_TIMEOUT_MS - 1);
    analytics.logEvent('d');
    expect(names()).toEqual(['session_start', 'first_visit', 'a', 'b', 'c', 'd']);
    expect(new Set(events.map((event) => event.identity.sessionId)).size).toBe(1);
  });

  it('are held in the store under the documented names', () => {
    const { analytics, store, events, platform } = setUp();
    analytics.logEvent('a');
    expect(store.getItem('svc_product_analytics_session_id')).toBe(events[0]?.identity.sessionId);
    expect(store.getItem('svc_product_analytics_session_last_at')).toBe(String(platform.now()));
    expect(store.getItem('svc_product_analytics_first_sent')).toBe('1');
  });

  it('begin at mount and on return to the foreground in apps, without a first event twice', async () => {
    const { analytics, names, platform } = setUp({ first: 'first_open' });
    analytics.ensureSession();
    await platform.clock.advance(SESSION_TIMEOUT_MS);
    analytics.ensureSession();
    await platform.clock.advance(1);
    analytics.ensureSession();
    expect(names()).toEqual(['session_start', 'first_open', 'session_start']);
  });

  it('end when another person takes over', () => {
    const { analytics, names } = setUp();
    analytics.pageView('/');
    analytics.endSession();
    analytics.pageView('/');
    expect(names()).toEqual(['session_start', 'first_visit', 'page_view', 'session_start', 'page_view']);
  });
});

describe('views', () => {
  it('count once when the same name comes again, and anew in a new session', async () => {
    const { analytics, events, platform } = setUp();
    analytics.screen(' Home ');
    analytics.screen('Home');
    analytics.screen('Cart');
    analytics.screen('Home');
    await platform.clock.advance(SESSION_TIMEOUT_MS + 1);
    analytics.screen('Home');
    const seen = events.filter((event) => event.name === 'screen_view').map((event) => event.screenName);
    expect(seen).toEqual(['Home', 'Cart', 'Home', 'Home']);
  });

  it('are ignored when blank and clipped to 200 units', () => {
    const { analytics, events } = setUp();
    analytics.screen('  ');
    analytics.screen(`${'x'.repeat(199)}😀`);
    expect(events.map((event) => event.screenName).filter(Boolean)).toEqual(['x'.repeat(199)]);
  });
});

describe('limits', () => {
  it('drops names that are blank, too long or have control characters, and reports them', () => {
    const { analytics, names, invalid } = setUp();
    analytics.logEvent(' ok ');
    analytics.logEvent('x'.repeat(120));
    for (const name of ['', '  ', 'x'.repeat(121), 'a\u0007b']) analytics.logEvent(name);
    analytics.logEvent(7 as unknown as string);
    expect(names()).toEqual(['session_start', 'first_visit', 'ok', 'x'.repeat(120)]);
    expect(invalid).toHaveLength(5);
  });

  it('keeps the event without properties that are too large, too deep or no JSON', () => {
    const { analytics, events, platform } = setUp();
    const fits = { a: 'x'.repeat(32_768 - 8) };
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    let deep: unknown = 1;
    for (let i = 0; i < 9; i += 1) deep = { deep };
    const tooBig = { a: 'x'.repeat(32_768 - 7) };
    for (const properties of [fits, tooBig, cycle, { n: 1n }, deep, [1]]) {
      analytics.logEvent('e', properties as Record<string, unknown>);
    }
    expect(events.filter((event) => event.name === 'e').map((event) => event.properties !== undefined)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(platform.logged.every(([level]) => level === 'debug')).toBe(true);
  });
});

describe('identity', () => {
  it('is taken at the time of the event', () => {
    const { analytics, events, person } = setUp();
    analytics.logEvent('a');
    person.customUserId = 'user-9';
    analytics.logEvent('b');
    expect(events.map((event) => event.identity.customUserId)).toEqual([undefined, undefined, undefined, 'user-9']);
    expect(events.every((event) => event.identity.appUserId === 'device')).toBe(true);
  });

  it('of the device is kept, adopted and renewed', () => {
    const { platform } = createQueues(() => ok);
    const store = createMemoryStore();
    const memory = new AnonymousId(platform, store, false);
    const id = memory.get();
    expect([memory.get(), store.keys()]).toEqual([id, []]);
    memory.persist();
    expect(store.getItem('svc_app_user_id')).toBe(id);
    expect(new AnonymousId(platform, store, true).get()).toBe(id);
    const late = new AnonymousId(platform, store, false);
    expect(late.get()).not.toBe(id);
    late.persist();
    expect(late.get()).toBe(id);
    late.reset();
    expect(late.get()).not.toBe(id);
    expect(store.getItem('svc_app_user_id')).toBe(late.get());
  });
});

describe('attribution', () => {
  function delayed() {
    let answer: (attributes: AttributionAttributes) => void = () => undefined;
    const attribution: SessionAttribution = {
      begin: () => new Promise((resolve) => (answer = resolve)),
      restore: () => undefined,
    };
    return { attribution, answer: (attributes: AttributionAttributes) => answer(attributes) };
  }

  it('is waited for by the first events, which keep their times and follow session_start', async () => {
    const { attribution, answer } = delayed();
    const { analytics, events, platform } = setUp({ attribution });
    const began = platform.now();
    analytics.logEvent('a');
    await platform.clock.advance(1_000);
    analytics.logEvent('b');
    expect(events).toEqual([]);
    answer({ 'acquisition.source': 'ads' });
    await settle();
    analytics.logEvent('c');
    expect(events.map((event) => [event.name, Date.parse(event.timestamp) - began])).toEqual([
      ['session_start', 0],
      ['first_visit', 0],
      ['a', 0],
      ['b', 1_000],
      ['c', 1_000],
    ]);
    expect(events.every((event) => event.context.attribution?.['acquisition.source'] === 'ads')).toBe(true);
  });

  it('is given up after three seconds; what comes later is for the next session', async () => {
    const { attribution, answer } = delayed();
    const { analytics, events, platform } = setUp({ attribution });
    analytics.logEvent('a');
    await platform.clock.advance(2_999);
    expect(events).toEqual([]);
    await platform.clock.advance(1);
    expect(events).toHaveLength(3);
    answer({ 'acquisition.source': 'late' });
    await settle();
    analytics.logEvent('b');
    expect(events.some((event) => event.context.attribution)).toBe(false);
  });

  it('that is given up on may still be known from before', async () => {
    const { attribution } = delayed();
    const known = { ...attribution, giveUp: (sessionId: string) => ({ 'link.entry': sessionId }) };
    const { analytics, events, platform } = setUp({ attribution: known });
    analytics.logEvent('a');
    await platform.clock.advance(3_000);
    expect(events.map((event) => event.context.attribution)).toEqual(
      events.map((event) => ({ 'link.entry': event.identity.sessionId })),
    );
  });

  it('is no longer waited for when the page goes away, or thrown away with a denial', async () => {
    const waiting = setUp(delayed());
    waiting.analytics.logEvent('a');
    waiting.analytics.endWait();
    expect(waiting.names()).toEqual(['session_start', 'first_visit', 'a']);
    const denied = setUp(delayed());
    denied.analytics.logEvent('a');
    denied.analytics.discard();
    await denied.platform.clock.advance(10_000);
    expect([denied.names(), denied.queue.size]).toEqual([[], 0]);
  });

  it('of the web stays for the session, also over a reload, and ignores the referrer in the next', async () => {
    const { platform } = createQueues(() => ok);
    let address = 'https://a.example/?utm_source=google';
    const page = () => platform.parseUrl(address);
    const referrer = platform.parseUrl('https://www.google.com/');
    const make = () => new WebSessionAttribution(platform.sessionStorage, platform.storage, page, referrer);
    const first = setUp({ attribution: make(), store: platform.storage });
    first.analytics.pageView('/');
    address = 'https://a.example/b?utm_source=inside';
    first.analytics.pageView('/b');
    const sources = () => first.events.map((event) => event.context.attribution?.['acquisition.source']);
    expect(new Set(sources())).toEqual(new Set(['google']));

    const reloaded = setUp({ attribution: make(), store: platform.storage });
    reloaded.platform.clock.time = first.platform.clock.time;
    reloaded.analytics.pageView('/b');
    expect(reloaded.events[0]).toMatchObject({
      name: 'page_view',
      context: { attribution: { 'acquisition.source': 'google' } },
    });

    await first.platform.clock.advance(SESSION_TIMEOUT_MS + 1);
    first.analytics.pageView('/b');
    const later = first.events[first.events.length - 1]?.context.attribution;
    expect(later?.['acquisition.source']).toBe('inside');
    expect(later?.['link.ext.referrer']).toBeUndefined();
    expect(JSON.parse(platform.storage.getItem('svc_web_attribution_first_touch_v1')!)).toMatchObject({
      'acquisition.source': 'google',
      'link.ext.referrer': 'www.google.com',
    });
  });
});

it('records nothing before the start or after the stop, and never looks back', () => {
  const { analytics, names, store } = setUp();
  analytics.stop();
  analytics.pageView('/');
  analytics.logEvent('a');
  analytics.ensureSession();
  expect([names(), store.keys()]).toEqual([[], []]);
  analytics.start();
  analytics.logEvent('b');
  expect(names()).toEqual(['session_start', 'first_visit', 'b']);
});
