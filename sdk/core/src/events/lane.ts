import { ENVELOPE_BYTES, type QueuedEvent } from './queued-event';

/** A buffer of this many events is sent at once; also the most events of one request. */
export const BATCH_SIZE = 500;
/** A request body is filled up to this many UTF-8 bytes, so that one slow upload does not hold 500 large events. */
const MAX_BODY_BYTES = 1_000_000;

/** What waits for one channel, and how its requests fare. */
export interface Lane {
  readonly channelId: string;
  /** Waiting events, oldest first. */
  waiting: QueuedEvent[];
  sending: boolean;
  /** Events up to this sequence are to be sent now. */
  flushUpTo: number;
  failures: number;
  notBefore: number;
  /** Whether the wait was the service's wish; such a wait is kept even when the page goes. */
  waitIsAsked: boolean;
  /** Batch size after 413 answers. */
  limit: number;
  retryTimer: unknown;
}

export function newLane(channelId: string): Lane {
  return {
    channelId,
    waiting: [],
    sending: false,
    flushUpTo: Number.NEGATIVE_INFINITY,
    failures: 0,
    notBefore: 0,
    waitIsAsked: false,
    limit: BATCH_SIZE,
    retryTimer: null,
  };
}

/** Takes the events of the lane's next request from those that wait. */
export function takeBatch(lane: Lane): QueuedEvent[] {
  const batch: QueuedEvent[] = [];
  let bytes = ENVELOPE_BYTES;
  for (const event of lane.waiting) {
    const full = batch.length >= lane.limit || bytes + event.bytes + 1 > MAX_BODY_BYTES;
    if (batch.length > 0 && (full || event.sequence > lane.flushUpTo)) break;
    batch.push(event);
    bytes += event.bytes + 1;
  }
  lane.waiting = lane.waiting.slice(batch.length);
  return batch;
}
