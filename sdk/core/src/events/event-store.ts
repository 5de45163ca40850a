import type { AsyncKeyValueStore, MaybePromise } from '../host/platform';
import { utf8Length } from '../host/text-size';
import type { QueuedEvent } from './queued-event';
import type { EventPath } from './report';

const KEY_PREFIX = 'svc:event:';
/** Most that undelivered events take on the device, in UTF-8 bytes of keys and values: a fifth of what browsers give. */
export const EVENT_STORE_MAX_BYTES = 1024 * 1024;

/** Whether a key of the device is that of an undelivered event, of whatever app. */
export function isEventKey(key: string): boolean {
  return key.startsWith(KEY_PREFIX);
}

/** An event as it was kept, for the queue of its path. */
export interface StoredEvent extends Omit<QueuedEvent, 'sequence'> {
  path: EventPath;
}

interface Copy {
  key: string;
  bytes: number;
  terminal: boolean;
}

/**
 * Keeps copies of undelivered events on the device. Each event has a key of its own, so that the tabs of a browser
 * never overwrite each other's: what two of them send is one event by its id. Never throws: a copy that cannot be
 * kept is missed only when the page or the app ends before the event is delivered.
 */
export class EventStore {
  private readonly copies = new Map<string, Copy>();
  /** Changes of a store that answers later, by event: a removal must not overtake the write. */
  private readonly pending = new Map<string, Promise<void>>();
  private readonly prefix: string;
  private bytes = 0;

  /**
   * @param scope what tells the events of one service and app from those of others on the same device
   * @param isAllowed whether anything may be kept now
   */
  constructor(
    private readonly store: AsyncKeyValueStore,
    scope: string,
    private readonly isAllowed: () => boolean,
  ) {
    this.prefix = `${KEY_PREFIX}${scope}:`;
  }

  /** Whether there is a copy of the event. */
  has(eventId: string): boolean {
    return this.copies.has(eventId);
  }

  /** Keeps a copy, at once where the store is synchronous. Makes room by giving up the oldest copies first. */
  add(path: EventPath, event: QueuedEvent): void {
    if (!this.isAllowed() || this.copies.has(event.eventId)) return;
    const key = `${this.prefix}${path}:${event.eventId}`;
    const value = format(event);
    const bytes = utf8Length(key) + utf8Length(value);
    if (!this.makeRoom(bytes)) return;
    this.note(event.eventId, { key, bytes, terminal: event.terminal });
    this.change(
      event.eventId,
      () => this.store.setItem(key, value),
      () => this.forget(event.eventId),
    );
  }

  /** Removes the copy of an event that is stored by the service, or reported. */
  remove(eventId: string): void {
    const copy = this.copies.get(eventId);
    if (!copy) return;
    this.forget(eventId);
    this.change(eventId, () => this.store.removeItem(copy.key));
  }

  /** Reads what earlier pages or launches left, and other tabs keep now, in the order it was recorded. */
  async load(): Promise<StoredEvent[]> {
    const found: { event: StoredEvent; order: string }[] = [];
    try {
      for (const key of await this.store.keys()) {
        if (!key.startsWith(this.prefix)) continue;
        const value = await this.store.getItem(key);
        // What is being removed is not there any more, whatever a slow store says.
        if (value === null || this.pending.has(key.slice(key.lastIndexOf(':') + 1))) continue;
        const entry = parse(key.slice(this.prefix.length), value);
        if (!entry) {
          await this.store.removeItem(key);
          continue;
        }
        const { eventId, terminal } = entry.event;
        if (!this.copies.has(eventId)) {
          this.note(eventId, { key, bytes: utf8Length(key) + utf8Length(value), terminal });
        }
        found.push(entry);
      }
    } catch {
      // A store that cannot be read keeps nothing for us; what was read so far is better than nothing.
    }
    return found.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)).map(({ event }) => event);
  }

  private note(eventId: string, copy: Copy): void {
    this.copies.set(eventId, copy);
    this.bytes += copy.bytes;
  }

  private forget(eventId: string): void {
    this.bytes -= this.copies.get(eventId)?.bytes ?? 0;
    this.copies.delete(eventId);
  }

  private makeRoom(bytes: number): boolean {
    if (bytes > EVENT_STORE_MAX_BYTES) return false;
    for (const terminal of [false, true]) {
      for (const [eventId, copy] of this.copies) {
        if (this.bytes + bytes <= EVENT_STORE_MAX_BYTES) return true;
        if (copy.terminal === terminal) this.remove(eventId);
      }
    }
    return this.bytes + bytes <= EVENT_STORE_MAX_BYTES;
  }

  private change(eventId: string, change: () => MaybePromise<void>, onFailure: () => void = () => undefined): void {
    const before = this.pending.get(eventId);
    try {
      const result = before ? before.then(change) : change();
      if (!(result instanceof Promise)) return;
      const settled: Promise<void> = result.catch(onFailure).then(() => {
        if (this.pending.get(eventId) === settled) this.pending.delete(eventId);
      });
      this.pending.set(eventId, settled);
    } catch {
      onFailure();
    }
  }
}

/** A line with what the queue has to know, and the event as it is sent. */
function format({ channelId, terminal, name, recordedAt, sequence, json }: QueuedEvent): string {
  return `${JSON.stringify([channelId, terminal, name, recordedAt, sequence])}\n${json}`;
}

function parse(path: string, value: string): { event: StoredEvent; order: string } | null {
  const [, kind, eventId] = /^(flow|product|track):(.+)$/.exec(path) ?? [];
  const end = value.indexOf('\n');
  if (!kind || !eventId || end < 0) return null;
  try {
    const [channelId, terminal, name, recordedAt, sequence] = JSON.parse(value.slice(0, end)) as unknown[];
    const json = value.slice(end + 1);
    const sent = JSON.parse(json) as { eventId?: unknown } | null;
    const sound =
      sent?.eventId === eventId &&
      typeof channelId === 'string' &&
      typeof terminal === 'boolean' &&
      typeof name === 'string' &&
      typeof recordedAt === 'number' &&
      typeof sequence === 'number';
    if (!sound) return null;
    const event = {
      path: kind as EventPath,
      eventId,
      name,
      json,
      bytes: utf8Length(json),
      channelId,
      terminal,
      recordedAt,
    };
    return { event, order: `${pad(recordedAt)} ${pad(sequence)}` };
  } catch {
    return null;
  }
}

/** A number as text that sorts like it. */
function pad(number: number): string {
  return String(Math.max(0, number)).padStart(16, '0');
}
