import { uuidV7 } from '../host/ids';
import type { KeyValueStore, Platform } from '../host/platform';
import { FIRST_SENT_KEY, SESSION_ID_KEY, SESSION_LAST_AT_KEY } from './storage-keys';

/** A session ends when nothing happened for longer than this; exactly this long continues it. */
export const SESSION_TIMEOUT_MS = 30 * 60_000;

/**
 * The product session. The store is read again before each event, so that the tabs of one browser share one
 * session.
 */
export class SessionStore {
  constructor(
    private readonly platform: Platform,
    private readonly store: KeyValueStore,
  ) {}

  /** Id of the session that is on at this time, or null. A clock that went back ends it. */
  current(now: number): string | null {
    const id = this.store.getItem(SESSION_ID_KEY);
    const lastAt = Number(this.store.getItem(SESSION_LAST_AT_KEY) ?? Number.NaN);
    const age = now - lastAt;
    return id && age >= 0 && age <= SESSION_TIMEOUT_MS ? id : null;
  }

  start(now: number): string {
    const id = uuidV7(this.platform);
    this.store.setItem(SESSION_ID_KEY, id);
    this.touch(now);
    return id;
  }

  /** Notes that something happened in the session. */
  touch(now: number): void {
    this.store.setItem(SESSION_LAST_AT_KEY, String(now));
  }

  end(): void {
    this.store.removeItem(SESSION_ID_KEY);
    this.store.removeItem(SESSION_LAST_AT_KEY);
  }

  /** Whether the once-per-person event is still to be sent; true at most once until `forgetFirst`. */
  claimFirst(): boolean {
    if (this.store.getItem(FIRST_SENT_KEY) === '1') return false;
    this.store.setItem(FIRST_SENT_KEY, '1');
    return true;
  }

  forgetFirst(): void {
    this.store.removeItem(FIRST_SENT_KEY);
  }
}
