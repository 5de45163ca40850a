import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProductEvent } from '../../core/src/analytics/product';
import { createMemoryStore } from '../../core/src/host/memory-store';
import { Sender } from '../src/sender';

const answers: (number | Error)[] = [];
const requests: { address: string; events: string[] }[] = [];
const beacons: string[] = [];

const event = (eventId: string, filler = '') =>
  ({ eventId, name: 'Test', properties: { filler } }) as never as ProductEvent;

beforeEach(() => {
  vi.useFakeTimers();
  answers.length = requests.length = beacons.length = 0;
  vi.stubGlobal('fetch', async (address: string, { body }: { body: string }) => {
    requests.push({ address, events: JSON.parse(body).events.map(({ eventId }: ProductEvent) => eventId) });
    const answer = answers.shift() ?? 200;
    if (answer instanceof Error) throw answer;
    return new Response('{}', { status: answer });
  });
  Object.defineProperty(navigator, 'sendBeacon', {
    configurable: true,
    value: (address: string) => beacons.push(address) > 0,
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('events are gathered, and sent again until they are acknowledged', async () => {
  answers.push(new Error('offline'), 503, 429);
  const sender = new Sender(createMemoryStore(), 'https://svc.example/events?key=ob_pk_1');
  sender.enqueue(event('1'));
  sender.enqueue(event('2'));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(requests.map(({ events }) => events)).toEqual(Array.from({ length: 4 }, () => ['1', '2']));
});

test('what the server refuses for good is not sent again', async () => {
  answers.push(400);
  const sender = new Sender(createMemoryStore(), 'https://svc.example/events?key=ob_pk_1');
  sender.enqueue(event('1'));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(requests.length).toBe(1);
});

test('requests stay within what a browser sends while a page goes away, and everything is sent', async () => {
  const sender = new Sender(createMemoryStore(), 'https://svc.example/events?key=ob_pk_1');
  const ids = Array.from({ length: 300 }, (_, i) => String(i));
  for (const id of ids) sender.enqueue(event(id, 'x'.repeat(Number(id) % 1_000)));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(requests.length).toBeGreaterThan(3);
  expect(requests.flatMap(({ events }) => events)).toEqual(ids);
});

test('a page that ends while the server is away leaves its events to the next one', async () => {
  const device = createMemoryStore();
  answers.push(503);
  const ending = new Sender(device, 'https://svc.example/events?key=ob_pk_1');
  ending.enqueue(event('1'));
  await vi.advanceTimersByTimeAsync(1_000);
  ending.leave();
  expect(beacons).toEqual(['https://svc.example/events?key=ob_pk_1']);
  vi.clearAllTimers(); // the page is gone

  const next = new Sender(device, 'https://svc.example/events?key=ob_pk_1');
  next.adopt();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests.at(-1)?.events).toEqual(['1']);
  expect(device.keys()).toEqual([]);
});

test('a denial takes what waits', async () => {
  const sender = new Sender(createMemoryStore(), 'https://svc.example/events?key=ob_pk_1');
  sender.enqueue(event('1'));
  sender.clear();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(requests).toEqual([]);
});

test('a page that is left and comes back sends nothing twice and nothing empty', async () => {
  const sender = new Sender(createMemoryStore(), 'https://svc.example/events?key=ob_pk_1');
  sender.enqueue(event('1'));
  sender.leave();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(beacons.length).toBe(1);
  expect(requests).toEqual([]);
});
