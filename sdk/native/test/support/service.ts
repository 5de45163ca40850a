import type { FetchInit, FetchResponse, ResolvedFlow } from '@svc/core';
import { flowEtag } from '@svc/core/internal';

export interface StoredEvent {
  path: string;
  eventId: string;
  name: string;
  timestamp: string;
  screenName?: string;
  stepId?: string | null;
  identity: { appUserId: string; customUserId?: string; sessionId?: string };
  context: { platform?: string; os?: string; device?: string; attribution?: Record<string, unknown> };
  properties?: Record<string, unknown>;
}

/** A service in memory: answers resolve, stores events once each, remembers every request. */
export class FakeService {
  readonly requests: { path: string; init: FetchInit; body: unknown }[] = [];
  readonly stored: StoredEvent[] = [];
  down = false;
  /** What is served to whom; `flow` to everybody else. */
  readonly flows = new Map<string, ResolvedFlow>();

  constructor(public flow: ResolvedFlow) {}

  fetch = async (url: string, init: FetchInit): Promise<FetchResponse> => {
    const path = url.replace(/^https?:\/\/[^/]+/, '');
    const body: unknown = init.body === undefined ? undefined : JSON.parse(init.body);
    this.requests.push({ path, init, body });
    if (this.down) throw new TypeError('Network request failed');
    if (path.endsWith('/resolve')) {
      const { appUserId } = (body as { identity: { appUserId: string } }).identity;
      const flow = this.flows.get(appUserId) ?? this.flow;
      return answer(200, flow, flowEtag(flow));
    }
    for (const event of (body as { events?: StoredEvent[] } | undefined)?.events ?? []) {
      if (this.stored.every((known) => known.eventId !== event.eventId)) this.stored.push({ ...event, path });
    }
    return answer(200, { accepted: true, rejected: [] });
  };

  names(end: string): string[] {
    return this.of(end).map((event) => event.name);
  }

  of(end: string): StoredEvent[] {
    return this.stored.filter((event) => event.path.endsWith(end));
  }

  count(end: string): number {
    return this.requests.filter((request) => request.path.endsWith(end)).length;
  }
}

function answer(status: number, body: unknown, etag?: string): FetchResponse {
  return {
    status,
    headers: { get: (name) => (name.toLowerCase() === 'etag' ? (etag ?? null) : null) },
    text: async () => JSON.stringify(body),
  };
}
