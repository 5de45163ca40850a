import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SentEvent {
  eventId: string;
}

/**
 * A service behind a bad network: it loses requests and answers, is down for a while, refuses, stalls, and lets a
 * sign-in page answer in its place. What it stores it stores once by id, as the real one does.
 */
export class FaultyService {
  /** Stored events by id, as they were sent first. */
  readonly stored = new Map<string, string>();
  /** Events that came again and were recognized. */
  duplicates = 0;
  /** Events that came again under the same id and said something else. */
  readonly changed: string[] = [];
  readonly faults: Record<string, number> = {};
  /** Whether anything goes wrong at all. */
  faulty = true;
  private downUntil = 0;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  constructor(private readonly random: () => number) {}

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const { events = [] } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { events?: SentEvent[] };
    const fault = this.faulty ? this.pickFault(events) : 'none';
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
    const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const refuse = (status: number, code: string, headers = {}) => json(status, { code, message: fault }, headers);
    switch (fault) {
      case 'lost request':
        return void request.socket.destroy();
      case 'lost answer':
        this.store(events);
        return void request.socket.destroy();
      case 'stall':
        return void setTimeout(() => request.socket.destroy(), 5_000 + this.random() * 30_000);
      case 'slow':
        return void setTimeout(() => json(200, this.store(events)), this.random() * 4_000);
      case 'portal':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in to the hotel</html>');
      case 'stub':
        return void json(200, {});
      case 'limit':
        return void refuse(429, 'rate_limited', { 'retry-after': String(Math.ceil(this.random() * 3)) });
      case 'outage':
        return void refuse(503, 'ingest_unavailable');
      case 'too large':
        return void refuse(413, 'payload_too_large');
      case 'plan':
        return void refuse(402, 'plan_limit_reached');
      case 'key':
        return void refuse(401, 'invalid_key');
      case 'rejection': {
        const [first, ...rest] = events;
        const answer = this.store(rest);
        const isKnown = first === undefined || this.stored.has(first.eventId);
        const rejected = isKnown ? [] : [{ index: 0, eventId: first.eventId, code: 'event_too_old', message: 'm' }];
        return void json(200, { ...answer, rejected });
      }
      default:
        return void json(200, this.store(events));
    }
  }

  private store(events: readonly SentEvent[]) {
    let stored = 0;
    for (const event of events) {
      const text = JSON.stringify(event);
      const before = this.stored.get(event.eventId);
      if (before === undefined) {
        this.stored.set(event.eventId, text);
        stored += 1;
        continue;
      }
      this.duplicates += 1;
      if (before !== text) this.changed.push(event.eventId);
    }
    return { accepted: true, stored, duplicates: events.length - stored, rejected: [] };
  }

  private pickFault(events: readonly SentEvent[]): string {
    const now = Date.now();
    if (now < this.downUntil) return 'lost request';
    const roll = this.random();
    if (roll < 0.01) this.downUntil = now + this.random() * 20_000;
    if (roll < 0.1) return 'lost request';
    if (roll < 0.2) return 'lost answer';
    if (roll < 0.24) return 'stall';
    if (roll < 0.32) return 'slow';
    if (roll < 0.37) return 'portal';
    if (roll < 0.4) return 'stub';
    if (roll < 0.45) return 'limit';
    if (roll < 0.52) return 'outage';
    if (roll < 0.55) return events.length > 1 ? 'too large' : 'none';
    if (roll < 0.555) return 'plan';
    if (roll < 0.56) return 'key';
    if (roll < 0.6) return 'rejection';
    return 'none';
  }
}
