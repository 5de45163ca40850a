import { BATCH_SIZE } from './lane';
import type { EventQueue } from './queue';
import { batchBytes, type QueuedEvent, type SendGate } from './queued-event';

/** Browsers refuse keepalive bodies beyond 64 KiB in total; the rest is for headers and for other scripts. */
export const KEEPALIVE_BUDGET_BYTES = 60_000;

/**
 * Sends what a closing page would lose, within one budget for all paths and channels: terminal flow events first,
 * then the rest, oldest first. What does not fit stays queued, since the page may come back.
 */
export function flushOnHide(queues: readonly EventQueue[], gate: SendGate): void {
  const candidates = queues.flatMap((queue) => queue.atRisk().map((event) => ({ queue, event })));
  candidates.sort((a, b) =>
    a.event.terminal !== b.event.terminal ? (a.event.terminal ? -1 : 1) : a.event.sequence - b.event.sequence,
  );
  const bodies: { queue: EventQueue; channelId: string; events: QueuedEvent[] }[] = [];
  let used = gate.keepaliveBytes;
  for (const { queue, event } of candidates) {
    const open = bodies.find(
      (body) => body.queue === queue && body.channelId === event.channelId && body.events.length < BATCH_SIZE,
    );
    const cost = open ? event.bytes + 1 : batchBytes([event]);
    // A smaller event further on may still fit.
    if (used + cost > KEEPALIVE_BUDGET_BYTES) continue;
    used += cost;
    if (open) open.events.push(event);
    else bodies.push({ queue, channelId: event.channelId, events: [event] });
  }
  for (const { queue, channelId, events } of bodies) queue.sendKeepalive(channelId, events);
}
