import { backoffMs, EVENT_BACKOFF_BASE_MS, EVENT_BACKOFF_MAX_MS } from '../api/backoff';
import { type ApiConnection, type ApiResponse, apiError, isRetryableStatus, send } from '../api/http';
import type { SdkLogger } from '../host/log';
import type { Platform } from '../host/platform';
import { utf8Length } from '../host/text-size';
import { type Accepted, isAccepted } from './accepted';
import type { EventStore, StoredEvent } from './event-store';
import { BATCH_SIZE, type Lane, newLane, takeBatch } from './lane';
import { batchBytes, isDroppedBefore, type QueuedEvent, type SendGate } from './queued-event';
import type { ErrorListener, EventPath } from './report';

/** Events are sent this long after the first one was buffered. */
export const FLUSH_INTERVAL_MS = 5_000;
/** The most events that wait; beyond it the oldest non-terminal one goes. */
export const MAX_QUEUED_EVENTS = 2_000;
/** The most UTF-8 bytes that wait; beyond it the oldest non-terminal event goes as well. */
export const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

export interface EventQueueOptions {
  platform: Platform;
  connection: ApiConnection;
  path: EventPath;
  /** Path below the base address. */
  url: string;
  gate: SendGate;
  logger: SdkLogger;
  onError: ErrorListener;
  /** Where copies of undelivered events are kept. Default: nowhere. */
  store?: EventStore;
}

/**
 * Holds the events of one path and sends them in batches, one lane per channel so that a failing channel holds up
 * no other. Every event is stored by the service or reported through `onError`.
 */
export class EventQueue {
  private readonly lanes = new Map<string, Lane>();
  /** Every event that is neither stored nor reported. */
  private readonly held = new Map<string, QueuedEvent>();
  /** How many requests carry an event; more than one when a page that seemed to go came back. */
  private readonly inFlight = new Map<string, number>();
  /** Events in requests that a closing page would cancel. */
  private readonly cancellable = new Set<string>();
  private heldBytes = 0;
  private requests = 0;
  private flushTimer: unknown = null;
  private closed = false;
  private readonly idle: (() => void)[] = [];

  /** @internal */
  constructor(private readonly options: EventQueueOptions) {}

  /** Number of events that are neither stored nor reported. */
  get size(): number {
    return this.held.size;
  }

  /** Whether an event is neither stored nor reported yet. */
  holds(eventId: string): boolean {
    return this.held.has(eventId);
  }

  /** Takes an event. It is serialized now; later changes of the object have no effect. */
  enqueue(event: { eventId: string; name: string }, extra: { channelId?: string; terminal?: boolean } = {}): void {
    const { gate, platform } = this.options;
    const json = JSON.stringify(event);
    const { channelId = '', terminal = false } = extra;
    const { eventId, name } = event;
    const bytes = utf8Length(json);
    const recordedAt = platform.now();
    const sequence = gate.nextSequence;
    const queued: QueuedEvent = { eventId, name, json, bytes, channelId, terminal, recordedAt, sequence };
    gate.nextSequence += 1;
    this.options.store?.add(this.options.path, queued);
    if (this.closed) {
      if (!this.options.store?.has(eventId)) this.reportDrop(queued, 'shutdown');
      return;
    }
    const lane = this.lane(channelId);
    this.hold(queued);
    lane.waiting.push(queued);
    this.keepBound();
    this.schedule(terminal);
  }

  /**
   * Takes events that an earlier page or launch could not deliver, oldest first. They go before all others.
   *
   * @internal
   */
  restore(events: readonly StoredEvent[]): void {
    const { gate } = this.options;
    for (const { path: _, ...event } of [...events].reverse()) {
      if (this.closed || this.held.has(event.eventId)) continue;
      gate.oldestSequence -= 1;
      const queued: QueuedEvent = { ...event, sequence: gate.oldestSequence };
      this.hold(queued);
      this.lane(event.channelId).waiting.unshift(queued);
    }
    this.keepBound();
    this.schedule(false);
  }

  /**
   * Keeps copies of everything that is undelivered, once that is allowed.
   *
   * @internal
   */
  persist(): void {
    for (const event of this.held.values()) this.options.store?.add(this.options.path, event);
  }

  /**
   * Takes the copies off the device; the events themselves are still delivered.
   *
   * @internal
   */
  forgetCopies(): void {
    for (const eventId of this.held.keys()) this.options.store?.remove(eventId);
  }

  private schedule(now: boolean): void {
    const { platform } = this.options;
    const waiting = this.waitingCount();
    if (now || waiting >= BATCH_SIZE) this.startFlush(false);
    else if (this.flushTimer === null && waiting > 0) {
      this.flushTimer = platform.setTimeout(() => this.startFlush(false), FLUSH_INTERVAL_MS);
    }
  }

  /** Sends what waits without waiting for the timer. Resolves when nothing is on its way any more. */
  flush(): Promise<void> {
    this.startFlush(true);
    return this.settled();
  }

  /**
   * One last attempt for everything; what fails is reported. Later events are reported at once.
   *
   * @internal
   */
  async shutdown(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    for (const lane of this.lanes.values()) lane.notBefore = 0;
    this.startFlush(true);
    await this.settled();
    for (const event of [...this.held.values()]) {
      // What is on the device is neither stored nor lost: the next start sends it.
      if (this.options.store?.has(event.eventId)) this.release(event);
      else this.drop(event, 'shutdown');
    }
  }

  /**
   * Takes events again after a shutdown: React shows a tree again that it had hidden.
   *
   * @internal
   */
  reopen(): void {
    this.closed = false;
  }

  /**
   * Forgets everything that waits, reporting it. Requests under way are not recalled, but not repeated either.
   *
   * @internal
   */
  clear(reason: string): void {
    this.stopFlushTimer();
    for (const lane of this.lanes.values()) {
      this.stopRetryTimer(lane);
      lane.waiting = [];
    }
    for (const event of [...this.held.values()]) this.drop(event, reason);
  }

  /**
   * Events that a closing page would lose: waiting ones and those in requests that die with the page.
   *
   * @internal
   */
  atRisk(): QueuedEvent[] {
    if (this.options.gate.stopped) return [];
    const now = this.options.platform.now();
    const risky: QueuedEvent[] = [];
    for (const lane of this.lanes.values()) {
      if (lane.waitIsAsked && lane.notBefore > now) continue;
      risky.push(...lane.waiting);
    }
    for (const id of this.cancellable) {
      const event = this.held.get(id);
      if (event && this.inFlight.get(id) === 1) risky.push(event);
    }
    return risky;
  }

  /**
   * Sends events of one channel in a request that outlives the page. A repeated event is deduplicated by its id.
   *
   * @internal
   */
  sendKeepalive(channelId: string, events: QueuedEvent[]): void {
    const lane = this.lane(channelId);
    const ids = new Set(events.map((event) => event.eventId));
    lane.waiting = lane.waiting.filter((event) => !ids.has(event.eventId));
    void this.post(lane, events, true).then((outcome) => this.finish(lane, events, outcome));
  }

  private lane(channelId: string): Lane {
    let lane = this.lanes.get(channelId);
    if (!lane) {
      lane = newLane(channelId);
      this.lanes.set(channelId, lane);
    }
    return lane;
  }

  private waitingCount(): number {
    let count = 0;
    for (const lane of this.lanes.values()) count += lane.waiting.length;
    return count;
  }

  private stopFlushTimer(): void {
    if (this.flushTimer !== null) this.options.platform.clearTimeout(this.flushTimer);
    this.flushTimer = null;
  }

  private stopRetryTimer(lane: Lane): void {
    if (lane.retryTimer !== null) this.options.platform.clearTimeout(lane.retryTimer);
    lane.retryTimer = null;
  }

  private startFlush(skipBackoff: boolean): void {
    this.stopFlushTimer();
    for (const lane of this.lanes.values()) {
      const last = lane.waiting[lane.waiting.length - 1];
      if (!last) continue;
      lane.flushUpTo = last.sequence;
      if (skipBackoff && !lane.waitIsAsked) lane.notBefore = 0;
      this.drain(lane);
    }
  }

  /** Sends the lane's next batch, and the one after it when that is done. */
  private drain(lane: Lane): void {
    const { platform, gate } = this.options;
    const first = lane.waiting[0];
    if (gate.stopped || lane.sending || !first || first.sequence > lane.flushUpTo) return;
    const waitMs = lane.notBefore - platform.now();
    if (waitMs > 0 && !this.closed) {
      if (lane.retryTimer === null) {
        lane.retryTimer = platform.setTimeout(() => {
          lane.retryTimer = null;
          this.drain(lane);
        }, waitMs);
      }
      return;
    }
    this.stopRetryTimer(lane);
    const batch = takeBatch(lane);
    lane.sending = true;
    void this.post(lane, batch, false).then((outcome) => {
      lane.sending = false;
      this.finish(lane, batch, outcome);
    });
  }

  private async post(lane: Lane, batch: QueuedEvent[], keepalive: boolean): Promise<ApiResponse | Error> {
    const { platform, connection, gate, url } = this.options;
    const sentAt = new Date(platform.now()).toISOString();
    const body = `{"sentAt":"${sentAt}","events":[${batch.map((event) => event.json).join(',')}]}`;
    const bytes = batchBytes(batch);
    this.requests += 1;
    if (keepalive) gate.keepaliveBytes += bytes;
    for (const { eventId } of batch) {
      this.inFlight.set(eventId, (this.inFlight.get(eventId) ?? 0) + 1);
      if (!keepalive) this.cancellable.add(eventId);
    }
    try {
      const channel = lane.channelId === '' ? {} : { channelId: lane.channelId };
      return await send(platform, connection, { path: url, body, keepalive, ...channel });
    } catch (error) {
      return error as Error;
    } finally {
      this.requests -= 1;
      if (keepalive) gate.keepaliveBytes -= bytes;
      for (const { eventId } of batch) {
        const others = (this.inFlight.get(eventId) ?? 1) - 1;
        if (others > 0) this.inFlight.set(eventId, others);
        else this.inFlight.delete(eventId);
        if (!keepalive) this.cancellable.delete(eventId);
      }
    }
  }

  private finish(lane: Lane, batch: QueuedEvent[], outcome: ApiResponse | Error): void {
    if (outcome instanceof Error) this.retryLater(lane, batch, null, outcome.message);
    else if (outcome.status >= 200 && outcome.status < 300) {
      if (isAccepted(outcome.body)) this.accept(lane, batch, outcome.body);
      else this.retryLater(lane, batch, null, `${outcome.status} without "accepted": not the service`);
    } else if (outcome.status === 413) this.halve(lane, batch);
    else if (outcome.status === 402) this.stop(lane, batch, outcome);
    else if (isRetryableStatus(outcome.status)) {
      this.retryLater(lane, batch, outcome.retryAfterMs, apiError(outcome).message);
    } else {
      const { code, message } = apiError(outcome);
      this.options.logger.warn(`${this.options.path} events refused: ${code}`, message);
      for (const event of batch) this.drop(event, code, message);
    }
    this.drain(lane);
    this.announceIdle();
  }

  private accept(lane: Lane, batch: QueuedEvent[], answer: Accepted): void {
    lane.failures = 0;
    lane.notBefore = 0;
    lane.waitIsAsked = false;
    lane.limit = Math.min(BATCH_SIZE, lane.limit * 2);
    const { rejected, ignored } = answer;
    const { logger, path } = this.options;
    // Crawlers and headless browsers on a live key: stored by nobody, which puzzles whoever tests with one.
    if (typeof ignored === 'number' && ignored > 0) logger.debug(`${ignored} ${path} events ignored by the service`);
    for (const entry of Array.isArray(rejected) ? rejected : []) {
      const { eventId, code, message } = (entry ?? {}) as { eventId?: string; code?: string; message?: string };
      const event = batch.find((candidate) => candidate.eventId === eventId);
      if (event) this.drop(event, code ?? 'rejected', message);
    }
    for (const event of batch) {
      this.unhold(event.eventId);
      this.options.store?.remove(event.eventId);
    }
  }

  private hold(event: QueuedEvent): void {
    this.held.set(event.eventId, event);
    this.heldBytes += event.bytes;
  }

  private unhold(eventId: string): boolean {
    this.heldBytes -= this.held.get(eventId)?.bytes ?? 0;
    return this.held.delete(eventId);
  }

  private retryLater(lane: Lane, batch: QueuedEvent[], retryAfterMs: number | null, message: string): void {
    const { platform, logger, path } = this.options;
    logger.warn(`${path} events could not be sent`, message);
    lane.failures += 1;
    lane.waitIsAsked = retryAfterMs !== null;
    const waitMs = retryAfterMs ?? backoffMs(platform, lane.failures, EVENT_BACKOFF_BASE_MS, EVENT_BACKOFF_MAX_MS);
    lane.notBefore = platform.now() + waitMs;
    this.putBack(lane, batch);
    // A closed queue has had its last attempt: what waits now is reported by shutdown.
    if (this.closed) lane.flushUpTo = Number.NEGATIVE_INFINITY;
  }

  private halve(lane: Lane, batch: QueuedEvent[]): void {
    const [only] = batch;
    if (batch.length === 1 && only) this.drop(only, 'payload_too_large');
    lane.limit = Math.max(1, Math.floor(batch.length / 2));
    this.putBack(lane, batch);
  }

  private stop(lane: Lane, batch: QueuedEvent[], response: ApiResponse): void {
    const { gate, logger, path, onError } = this.options;
    this.putBack(lane, batch);
    if (gate.stopped) return;
    gate.stopped = true;
    const { code, message } = apiError(response);
    logger.warn(`sending stopped: ${code}`, message);
    onError({ code: 'sending_stopped', path, reason: code, message });
  }

  /** Returns events to their place, unless they are stored, dropped or in another request that will decide. */
  private putBack(lane: Lane, batch: QueuedEvent[]): void {
    const present = new Set(lane.waiting.map((event) => event.eventId));
    const back = batch.filter(
      ({ eventId }) => this.held.has(eventId) && !present.has(eventId) && !this.inFlight.has(eventId),
    );
    if (back.length === 0) return;
    lane.waiting = [...back, ...lane.waiting].sort((a, b) => a.sequence - b.sequence);
    const last = back[back.length - 1];
    if (last) lane.flushUpTo = Math.max(lane.flushUpTo, last.sequence);
    this.keepBound();
  }

  /** Drops waiting events over the bound: the oldest that is not terminal, then the oldest of all. */
  private keepBound(): void {
    while (this.held.size > MAX_QUEUED_EVENTS || this.heldBytes > MAX_QUEUED_BYTES) {
      let victim: QueuedEvent | undefined;
      for (const lane of this.lanes.values()) {
        for (const event of lane.waiting) {
          if (!victim || isDroppedBefore(event, victim)) victim = event;
        }
      }
      // Everything is on its way; the answers will make room or bring the events back here.
      if (!victim) return;
      this.drop(victim, 'queue_full');
    }
  }

  private drop(event: QueuedEvent, reason: string, message?: string): void {
    if (!this.release(event)) return;
    this.options.store?.remove(event.eventId);
    this.reportDrop(event, reason, message);
  }

  /** Lets an event go that is not to be sent any more. Returns false when it was gone already. */
  private release(event: QueuedEvent): boolean {
    if (!this.unhold(event.eventId)) return false;
    const lane = this.lanes.get(event.channelId);
    if (lane) lane.waiting = lane.waiting.filter((other) => other !== event);
    return true;
  }

  private reportDrop({ eventId, name }: QueuedEvent, reason: string, message?: string): void {
    const { path, logger, onError } = this.options;
    logger.debug(`${path} event ${name} dropped: ${reason}`);
    onError({ code: 'event_dropped', path, eventId, name, reason, ...(message === undefined ? {} : { message }) });
  }

  private settled(): Promise<void> {
    if (this.requests === 0) return Promise.resolve();
    return new Promise((resolve) => void this.idle.push(resolve));
  }

  private announceIdle(): void {
    if (this.requests > 0) return;
    for (const resolve of this.idle.splice(0)) resolve();
  }
}
