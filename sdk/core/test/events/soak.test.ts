import { expect, it } from 'vitest';
import { flushOnHide } from '../../src/events/page-hide';
import { createQueues, eventIds, ok } from '../support/event-queues';
import type { Reply } from '../support/fake-platform';

// 10,000 events through a network that loses requests, loses answers, refuses, stalls and comes back.
it.each([1, 2, 3])('every event is stored or reported, none twice (seed %d)', { timeout: 60_000 }, async (seed) => {
  const stored = new Map<string, number>();
  const rejected = new Set<string>();
  const queues = createQueues((request) => {
    const roll = platform.random();
    const store = () => {
      for (const id of eventIds(request)) if (!rejected.has(id) && !stored.has(id)) stored.set(id, 1);
    };
    if (roll < 0.15) return 'network-error';
    if (roll < 0.25) return { status: 429, headers: { 'Retry-After': String(1 + Math.floor(platform.random() * 30)) } };
    if (roll < 0.35) return { status: 503 };
    if (roll < 0.4) return 'hang';
    if (roll < 0.43) return { status: 413 };
    if (roll < 0.5) {
      // Stored, but the answer is lost: the same ids come again and are duplicates.
      store();
      return 'network-error';
    }
    if (roll < 0.55) {
      const [id] = eventIds(request).filter((candidate) => !stored.has(candidate));
      if (id) rejected.add(id);
      store();
      return {
        status: 200,
        body: { accepted: true, rejected: id ? [{ eventId: id, code: 'bad', message: 'm' }] : [] },
      } as Reply;
    }
    store();
    return ok;
  }, seed);
  const { platform, flow, product, gate, dropped, reports } = queues;
  const all: string[] = [];
  for (let i = 0; i < 10_000; i += 1) {
    const eventId = `e${i}`;
    all.push(eventId);
    if (i % 3 === 0) product.enqueue({ eventId, name: 'p' });
    else flow.enqueue({ eventId, name: 'f' }, { channelId: `ch_${i % 5}`, terminal: i % 97 === 0 });
    if (i % 50 === 0) await platform.clock.advance(Math.floor(platform.random() * 3_000));
    if (i % 1_500 === 0) flushOnHide([flow, product], gate);
    expect(flow.size).toBeLessThanOrEqual(2_000);
  }
  await platform.clock.advance(120_000);
  platform.respond = (request) => {
    for (const id of eventIds(request)) if (!rejected.has(id)) stored.set(id, 1);
    return ok;
  };
  await platform.clock.advance(600_000);
  await flow.shutdown();
  await product.shutdown();
  const lost = dropped();
  expect(new Set(lost).size).toBe(lost.length);
  expect(all.filter((id) => !stored.has(id) && !lost.includes(id))).toEqual([]);
  // Events that were stored although they are reported: only those whose answer never came.
  expect(lost.filter((id) => stored.has(id)).length).toBeLessThan(lost.length / 4 + 1);
  expect(reports.every((report) => report.code === 'event_dropped')).toBe(true);
  expect([flow.size, product.size, gate.keepaliveBytes]).toEqual([0, 0, 0]);
});
