import { randomFraction } from '../host/ids';
import type { Platform } from '../host/platform';

/** First wait before an event batch is sent again. */
export const EVENT_BACKOFF_BASE_MS = 1_000;
export const EVENT_BACKOFF_MAX_MS = 30_000;

/**
 * Wait before attempt `failures + 1`: base · 2^(failures − 1), capped, of which the upper half is random so that
 * clients that failed together do not come back together.
 */
export function backoffMs(
  platform: Pick<Platform, 'randomBytes'>,
  failures: number,
  baseMs: number,
  maxMs: number,
): number {
  const full = Math.min(baseMs * 2 ** Math.min(failures - 1, 20), maxMs);
  return Math.round(full * (0.5 + randomFraction(platform) / 2));
}
