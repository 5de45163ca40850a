import { type KeyValueStore, PERSISTED_APP_USER_ID_KEY } from '@svc/core';
import { FIRST_SENT_KEY, SESSION_ID_KEY, SESSION_LAST_AT_KEY } from '@svc/core/internal';
import type { DeviceStorage } from './device-storage';

/** Where the attribution that the current session was started with is kept. */
export const SESSION_ATTRIBUTION_KEY = 'svc_session_attribution_v1';

/** Everything that core reads without waiting. */
const PRELOADED_KEYS = [
  PERSISTED_APP_USER_ID_KEY,
  SESSION_ID_KEY,
  SESSION_LAST_AT_KEY,
  FIRST_SENT_KEY,
  SESSION_ATTRIBUTION_KEY,
] as const;

/**
 * The small values, read from the device once and from memory ever after. Changes are written behind, one after the
 * other; of several changes of one key that wait only the last is written. A device that cannot be read or written
 * means memory only: what is there must not be replaced by somebody made up.
 */
export class PreloadedStore implements KeyValueStore {
  private readonly values = new Map<string, string>();
  /** Changes that are not written yet, in order; null is a removal. */
  private readonly changes = new Map<string, string | null>();
  private loading: Promise<void> | null = null;
  private writing = false;
  private writable = false;

  constructor(private readonly device: DeviceStorage) {}

  /** Reads everything once; never rejects. */
  load(): Promise<void> {
    this.loading ??= this.read();
    return this.loading;
  }

  getItem(key: string): string | null {
    return this.values.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.values.get(key) === value) return;
    this.values.set(key, value);
    this.change(key, value);
  }

  removeItem(key: string): void {
    if (!this.values.delete(key)) return;
    this.change(key, null);
  }

  keys(): string[] {
    return [...this.values.keys()];
  }

  private async read(): Promise<void> {
    try {
      const found = await Promise.all(PRELOADED_KEYS.map((key) => this.device.getItem(key)));
      PRELOADED_KEYS.forEach((key, i) => {
        const value = found[i];
        if (typeof value === 'string') this.values.set(key, value);
      });
      this.writable = true;
    } catch {
      // Blocked, missing or too slow: this launch goes by a new id, and the stored one is there for the next.
    }
  }

  private change(key: string, value: string | null): void {
    if (!this.writable) return;
    this.changes.delete(key);
    this.changes.set(key, value);
    if (!this.writing) void this.write();
  }

  private async write(): Promise<void> {
    this.writing = true;
    for (;;) {
      const next = this.changes.entries().next();
      if (next.done) break;
      const [key, value] = next.value;
      this.changes.delete(key);
      try {
        if (value === null) await this.device.removeItem(key);
        else await this.device.setItem(key, value);
      } catch {
        // Memory has it.
      }
    }
    this.writing = false;
  }
}
