import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AnonymousId } from '../../core/src/analytics/identity';
import { ProductAnalytics, type ProductEvent } from '../../core/src/analytics/product';
import { SESSION_TIMEOUT_MS, SessionStore } from '../../core/src/analytics/session';
import { WebSessionAttribution } from '../../core/src/analytics/session-attribution';
import type { EventQueue } from '../../core/src/events/queue';
import { createMemoryStore } from '../../core/src/host/memory-store';
import { createBrowserPlatform } from '../../react/src/host/browser-platform';
import { Visits } from '../src/visits';

/** What both sides offer. */
interface Side {
  start(): void;
  startLate(): void;
  stop(): void;
  endSession(): void;
  page(name: string): void;
  event(name: string, properties?: Record<string, unknown>): void;
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 26) });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A sequence of numbers that looks random, the same for a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Both sides on stores of their own, and what each sent. */
function sides(): { all: [Side, Side]; sent: [ProductEvent[], ProductEvent[]] } {
  const platform = createBrowserPlatform();
  const sent: [ProductEvent[], ProductEvent[]] = [[], []];
  const page = platform.parseUrl('https://shop.example/landing?utm_source=news');
  const parts = () => {
    const device = createMemoryStore();
    return {
      sessions: new SessionStore(platform, device),
      person: new AnonymousId(platform, device, true),
      attribution: new WebSessionAttribution(createMemoryStore(), device, () => page, null),
    };
  };
  const [ours, reference] = [parts(), parts()];
  const visits = new Visits(
    ours.sessions,
    ours.attribution,
    () => ({ appUserId: ours.person.get() }),
    (event) => sent[0].push(event),
  );
  const analytics = new ProductAnalytics({
    platform,
    queue: { enqueue: (event: ProductEvent) => sent[1].push(event) } as unknown as EventQueue,
    sessions: reference.sessions,
    attribution: reference.attribution,
    firstEvent: 'first_visit',
    identity: () => ({ appUserId: reference.person.get() }),
    context: () => ({ platform: 'web', locale: navigator.language }),
    logger: { level: 'none', debug: () => undefined, warn: () => undefined } as never,
  });
  const sdk: Side = {
    start: () => analytics.start(),
    startLate: () => analytics.startLate(),
    stop: () => analytics.stop(),
    endSession: () => analytics.endSession(),
    page: (name) => analytics.pageView(name),
    event: (name, properties) => analytics.logEvent(name, properties),
  };
  return { all: [visits, sdk], sent };
}

/** An event without its ids, which are made anew; sessions are numbered as they appear. */
function told(events: ProductEvent[]): unknown[] {
  const sessions: (string | undefined)[] = [];
  return events.map(({ eventId: _, identity, ...event }) => {
    const { sessionId } = identity as { sessionId?: string };
    if (!sessions.includes(sessionId)) sessions.push(sessionId);
    return { ...event, session: sessions.indexOf(sessionId) };
  });
}

test('a page is counted as the SDK counts it, whatever happens in which order', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const next = random(seed);
    const { all, sent } = sides();
    for (let step = 0; step < 30; step += 1) {
      vi.advanceTimersByTime([0, 1_000, SESSION_TIMEOUT_MS, SESSION_TIMEOUT_MS + 1][next(4)] ?? 0);
      const call = next(12);
      const page = ['/', '/a', '/b%C3%BC', ' /a ', '  '][next(5)] ?? '/';
      for (const side of all) {
        if (call === 0) side.start();
        else if (call === 1) side.startLate();
        else if (call === 2) side.stop();
        else if (call === 3) side.endSession();
        else if (call < 8) side.page(page);
        else side.event(` Event ${call} `, call > 9 ? { step } : undefined);
      }
    }
    expect(told(sent[0]), `seed ${seed}`).toEqual(told(sent[1]));
  }
});
