import type { ProductEvent } from '../../core/src/analytics/product';
import { backoffMs } from '../../core/src/api/backoff';
import { uuidV4 } from '../../core/src/host/ids';
import type { KeyValueStore } from '../../core/src/host/platform';
import { platform } from './platform';

/** Most that one request has, in events and UTF-16 code units; a browser sends 64 KiB while a page goes away. */
const BATCH_EVENTS = 100;
const BATCH_UNITS = 20_000;
/** Events wait this long for others, in milliseconds. */
const GATHER_MS = 1_000;
const BACKOFF_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;
/** Most events that wait while the server can't be reached; the oldest are given up. */
const MAX_WAITING = 500;
/** Where a page leaves what it could not send, for the next one; each page has an entry of its own. */
const LEFT_PREFIX = 'svc:script:';

/** Whether the same request may work later. */
const isTemporary = (status: number) => status === 408 || status === 421 || status === 429 || status >= 500;

/**
 * Sends events in batches. What is not acknowledged is sent again by the same ids, by a later page where this one ends
 * first: the server stores an event once.
 */
export class Sender {
  private waiting: string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private sending = false;
  private leftKey: string | undefined; // most pages leave nothing

  /** @param address takes batches of product events, with the key */
  constructor(
    private readonly device: KeyValueStore,
    private readonly address: string,
  ) {}

  enqueue(event: ProductEvent): void {
    this.add([JSON.stringify(event)]);
  }

  /** Takes what earlier pages could not send. */
  adopt(): void {
    for (const key of this.device.keys()) {
      if (!key.startsWith(LEFT_PREFIX) || key === this.leftKey) continue;
      const left = this.device.getItem(key);
      this.device.removeItem(key);
      if (left) this.add(left.split('\n'));
    }
  }

  /** The page goes away, or stays hidden for good: everything is sent now, and kept where it can't be. */
  leave(): void {
    const all = this.waiting;
    while (this.waiting.length > 0) {
      const batch = this.next();
      if (!navigator.sendBeacon(this.address, bodyOf(batch))) break;
      this.waiting = this.waiting.slice(batch.length);
    }
    // Nobody says whether a beacon arrived while the server is away.
    if (this.failures > 0 || !navigator.onLine) this.waiting = all;
    if (this.waiting.length > 0) {
      this.leftKey ??= LEFT_PREFIX + uuidV4(platform);
      this.device.setItem(this.leftKey, this.waiting.join('\n'));
    } else this.forgetLeft();
  }

  private forgetLeft(): void {
    if (this.leftKey) this.device.removeItem(this.leftKey);
  }

  /** Forgets what waits: a denial. */
  clear(): void {
    this.waiting = [];
  }

  private add(events: string[]): void {
    this.waiting = [...this.waiting, ...events].slice(-MAX_WAITING);
    this.schedule(GATHER_MS);
  }

  private schedule(ms: number): void {
    if (this.timer || this.sending || this.waiting.length === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.send();
    }, ms);
  }

  /** The oldest events that fit into a request; one at least. */
  private next(): string[] {
    let units = 0;
    let count = 0;
    for (const event of this.waiting.slice(0, BATCH_EVENTS)) {
      units += event.length;
      if (count > 0 && units > BATCH_UNITS) break;
      count += 1;
    }
    return this.waiting.slice(0, count);
  }

  private async send(): Promise<void> {
    const batch = this.next();
    if (batch.length === 0) return; // the page was left meanwhile, or consent was denied
    this.sending = true;
    let wait = 0;
    try {
      // A text without headers of ours: a browser asks no server beforehand whether it may send it.
      const { status, headers } = await fetch(this.address, { method: 'POST', body: bodyOf(batch) });
      if (isTemporary(status)) wait = Number(headers.get('Retry-After')) * 1_000 || this.backoff();
    } catch {
      wait = this.backoff();
    }
    this.sending = false;
    if (wait === 0) {
      this.failures = 0;
      // More may have come meanwhile, and a denial may have taken all.
      this.waiting = this.waiting.filter((event) => !batch.includes(event));
      this.forgetLeft();
    }
    this.schedule(wait);
  }

  private backoff(): number {
    this.failures += 1;
    return backoffMs(platform, this.failures, BACKOFF_MS, BACKOFF_MAX_MS);
  }
}

const bodyOf = (events: string[]) => `{"sentAt":"${new Date().toISOString()}","events":[${events.join()}]}`;
