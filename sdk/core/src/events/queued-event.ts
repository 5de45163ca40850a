/** What a request body has around its events. */
export const ENVELOPE_BYTES = '{"sentAt":"2026-11-21T10:00:00.000Z","events":[]}'.length;

/** An event as its queue keeps it: serialized at once, so that nothing about it can change any more. */
export interface QueuedEvent {
  eventId: string;
  name: string;
  json: string;
  /** UTF-8 length of `json`. */
  bytes: number;
  /** Empty on the paths that know no channels. */
  channelId: string;
  /** Terminal flow events are sent at once and dropped last. */
  terminal: boolean;
  /** Milliseconds since 1970 when the queue took it. */
  recordedAt: number;
  /** Order of enqueueing across all queues of a client; negative for events of earlier pages or launches. */
  sequence: number;
}

/** State that the queues of one client share. */
export interface SendGate {
  /** Set by a 402: nothing is sent until the provider mounts again. */
  stopped: boolean;
  nextSequence: number;
  /** Number of the oldest event of an earlier page or launch; these count down from 0. */
  oldestSequence: number;
  /** UTF-8 bytes of keepalive bodies under way, which browsers count together. */
  keepaliveBytes: number;
}

export function createSendGate(): SendGate {
  return { stopped: false, nextSequence: 0, oldestSequence: 0, keepaliveBytes: 0 };
}

/** Reports whether a full queue drops `a` before `b`: terminal events last, then by age. */
export function isDroppedBefore(a: QueuedEvent, b: QueuedEvent): boolean {
  if (a.terminal !== b.terminal) return b.terminal;
  return a.sequence < b.sequence;
}

/** UTF-8 bytes of the request body that carries these events. */
export function batchBytes(events: readonly QueuedEvent[]): number {
  return events.reduce((sum, event) => sum + event.bytes, ENVELOPE_BYTES) + Math.max(0, events.length - 1);
}
