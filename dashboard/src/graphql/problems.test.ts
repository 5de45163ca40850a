import { expect, test } from 'vitest';
import { againAfter } from './problems';

const problem = (code: string, retryAfter?: number) => ({ code, message: code, ...(retryAfter && { retryAfter }) });

test('what a server cannot answer now is asked again, what it refuses is not', () => {
  expect(againAfter([])).toBeUndefined();
  expect(againAfter([problem('forbidden'), problem('rate_limited', 60)])).toBeUndefined();
  expect(againAfter([problem('unavailable')])).toBe(5_000);
  expect(againAfter([problem('forbidden'), problem('product_analytics_unavailable', 20)])).toBe(20_000);
});
