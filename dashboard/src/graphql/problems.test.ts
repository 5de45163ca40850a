import { expect, test } from 'vitest';
import { againAfter } from './problems';

const problem = (code: string, retryAfter?: number) => ({ code, message: code, ...(retryAfter && { retryAfter }) });

test('what a server cannot answer now is asked again, what it refuses is not', () => {
  expect(againAfter([])).toBeUndefined();
  expect(againAfter([problem('forbidden'), problem('rate_limited', 60)])).toBeUndefined();
  expect(againAfter([problem('unavailable')])).toBe(5_000);
  expect(againAfter([problem('forbidden'), problem('product_analytics_unavailable', 20)])).toBe(20_000);
});

test('the pause doubles with each time in a row up to a minute, and is longer where the server says so', () => {
  const pauses = (jitter: number) =>
    [1, 2, 3, 4, 5, 50].map((inRow) => againAfter([problem('unavailable')], inRow, jitter));
  expect(pauses(0)).toEqual([5_000, 10_000, 20_000, 40_000, 40_000, 40_000]);
  expect(pauses(1)).toEqual([7_500, 15_000, 30_000, 60_000, 60_000, 60_000]);
  expect(againAfter([problem('unavailable', 120)], 5)).toBe(120_000);
});
