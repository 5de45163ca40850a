import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onNewDay } from './midnight';

const page = new EventTarget();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The instants at which a new day began in a zone within some hours. */
function newDays(zone: string, from: string, hours: number): string[] {
  vi.setSystemTime(new Date(from));
  const found: string[] = [];
  const stop = onNewDay(zone, () => found.push(new Date().toISOString()));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(hours * 3_600_000);
  expect(vi.getTimerCount()).toBe(1);
  stop();
  expect(vi.getTimerCount()).toBe(0);
  return found;
}

test('a day begins at the midnight of its zone, also where days are not as long as others', () => {
  expect(newDays('UTC', '2026-03-10T23:59:59.900Z', 25)).toEqual([
    '2026-03-11T00:00:00.000Z',
    '2026-03-12T00:00:00.000Z',
  ]);
  // 23 hours in spring, 25 in autumn.
  expect(newDays('Europe/Berlin', '2026-03-28T12:00:00Z', 48)).toEqual([
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ]);
  expect(newDays('America/New_York', '2026-10-31T12:00:00Z', 48)).toEqual([
    '2026-11-01T04:00:00.000Z',
    '2026-11-02T05:00:00.000Z',
  ]);
  // The clock of Santiago skips midnight.
  expect(newDays('America/Santiago', '2026-09-05T12:00:00Z', 24)).toEqual(['2026-09-06T04:00:00.000Z']);
});

test('a machine that slept over midnight shows the new day when its page is seen', () => {
  vi.setSystemTime(new Date('2026-03-10T20:00:00Z'));
  const begun = vi.fn();
  const stop = onNewDay('UTC', begun);
  page.dispatchEvent(new Event('visibilitychange'));
  expect(begun).not.toHaveBeenCalled();
  vi.setSystemTime(new Date('2026-03-11T08:00:00Z')); // no timer went on meanwhile
  page.dispatchEvent(new Event('visibilitychange'));
  expect(begun).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(16 * 3_600_000);
  expect(begun).toHaveBeenCalledTimes(2);
  stop();
  page.dispatchEvent(new Event('visibilitychange'));
  expect(begun).toHaveBeenCalledTimes(2);
});

test('a day that began between what was asked and its page is noticed at once', () => {
  vi.setSystemTime(new Date('2026-03-11T00:00:01Z'));
  const begun = vi.fn();
  const stop = onNewDay('UTC', begun, new Date('2026-03-10T23:59:59Z'));
  expect(begun).toHaveBeenCalledTimes(1);
  stop();
});
