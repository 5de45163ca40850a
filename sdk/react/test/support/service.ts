import type { FetchInit, FetchResponse, ResolvedFlow } from '@svc/core';

export interface SeenEvent {
  path: string;
  eventId: string;
  name: string;
  screenName?: string;
  stepId?: string | null;
  identity: { appUserId: string; customUserId?: string; sessionId?: string };
  keepalive: boolean;
}

/** A service in memory: answers resolve, stores events, remembers every request. */
export class FakeService {
  readonly requests: { path: string; init: FetchInit; body: unknown }[] = [];
  readonly stored: SeenEvent[] = [];
  down = false;
  hold: Promise<void> | null = null;
  /** Answers to questions about a checkout attempt, in order. */
  attempt: string[] = [];

  constructor(public flow: ResolvedFlow) {}

  fetch = async (url: string, init: FetchInit): Promise<FetchResponse> => {
    const path = new URL(url).pathname;
    const body = init.body === undefined ? undefined : JSON.parse(init.body);
    this.requests.push({ path, init, body });
    await this.hold;
    if (this.down) throw new TypeError('Failed to fetch');
    if (path.endsWith('/resolve')) {
      return answer(200, this.flow, `"${this.flow.assignmentVersion}-${this.flow.versionId}"`);
    }
    if (path.includes('/checkout-attempts')) {
      return answer(200, { attemptId: 'a1', status: this.attempt.shift() ?? 'pending', expiresAt: 'T' });
    }
    for (const event of (body as { events?: SeenEvent[] })?.events ?? []) {
      if (this.stored.some((known) => known.eventId === event.eventId)) continue;
      this.stored.push({ ...event, path, keepalive: init.keepalive === true });
    }
    return answer(200, { accepted: true, rejected: [] });
  };

  names(end: string): string[] {
    return this.stored.filter((event) => event.path.endsWith(end)).map((event) => event.name);
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

/** A resolve answer of two screens, whose first headline is `Hello`. */
export function twoScreens(extra: Partial<ResolvedFlow> = {}): ResolvedFlow {
  const screen = (id: string, headline: string, next: string | null): ResolvedFlow['manifest']['screens'][number] => ({
    id,
    name: id,
    regions: {
      body: {
        id: `lyr_${id}`,
        kind: 'stack',
        direction: 'vertical',
        children: [
          { id: `lyr_${id}_t`, kind: 'text', text: { default: headline, translations: { de: `${headline} (de)` } } },
        ],
      },
    },
    next: { default: next },
  });
  return {
    kind: 'flow',
    flowId: 'a0000000-0000-4000-8000-0000000000aa',
    versionId: 'b0000000-0000-4000-8000-000000000001',
    versionNumber: 1,
    assignmentVersion: 1,
    environment: 'test',
    channelId: 'ch_test_main',
    experimentId: null,
    variantId: null,
    manifest: {
      flowId: 'a0000000-0000-4000-8000-0000000000aa',
      schemaVersion: 7,
      version: 1,
      defaultLocale: 'en',
      locales: ['en', 'de'],
      entryScreenId: 'scr_a',
      screens: [screen('scr_a', 'Hello', 'scr_b'), screen('scr_b', 'Bye', null)],
    },
    mediaMap: {},
    ...extra,
  };
}
