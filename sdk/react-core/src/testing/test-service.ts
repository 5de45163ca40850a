import type { FetchLike, FetchResponse, FlowManifest, ResolvedFlow, Screen, SvcConfig } from '@svc/core';
import { flowEtag } from '@svc/core/internal';

/** An event that the test service took. */
export interface RecordedEvent {
  path: 'flow' | 'product' | 'track';
  /** Of flow events. */
  channelId: string | null;
  name: string;
  stepId?: string | null;
  screenName?: string;
  properties?: Record<string, unknown>;
}

/** A service in memory, for tests of apps: it serves flows by channel and keeps the events it is sent. */
export interface TestService {
  fetcher: FetchLike;
  /** Events in the order they were stored. Queues send after five seconds, or at once when a flow ends. */
  readonly events: readonly RecordedEvent[];
  /** Replaces what a channel serves; null makes it unknown. */
  setFlow(channelId: string, flow: ResolvedFlow | null): void;
  /** Makes every request fail as if there were no network, until it is called with false. */
  setOffline(offline: boolean): void;
}

const PATHS: Record<string, RecordedEvent['path']> = {
  '/v1/sdk/events': 'flow',
  '/v1/sdk/analytics/events': 'product',
  '/v1/sdk/track': 'track',
};

/** Path and query of an address. Test environments of React Native need not have a whole `URL`. */
const ADDRESS = /^https?:\/\/[^/]+([^?#]*)(?:\?([^#]*))?/;

/** The channel that a beacon names in its address. */
function channelOf(query: string): string | null {
  const [, channel] = /(?:^|&)channel=([^&]*)/.exec(query) ?? [];
  return channel === undefined ? null : decodeURIComponent(channel);
}

function answer(status: number, body: unknown, etag: string | null = null): FetchResponse {
  return {
    status,
    headers: { get: (name) => (name.toLowerCase() === 'etag' ? etag : null) },
    text: () => Promise.resolve(JSON.stringify(body)),
  };
}

/** Makes a test service. */
export function createTestService(flows: Readonly<Record<string, ResolvedFlow>> = {}): TestService {
  const served = new Map(Object.entries(flows));
  const events: RecordedEvent[] = [];
  let offline = false;
  return {
    events,
    setFlow: (channelId, flow) => void (flow ? served.set(channelId, flow) : served.delete(channelId)),
    setOffline: (value) => {
      offline = value;
    },
    fetcher: async (url, init) => {
      if (offline) throw new TypeError('The test service is offline.');
      const [, pathname = '', query = ''] = ADDRESS.exec(url) ?? [];
      const channelId = init.headers['x-svc-channel'] ?? channelOf(query);
      if (pathname === '/v1/sdk/resolve') {
        const flow = served.get(channelId ?? '');
        if (!flow) return answer(404, { code: 'channel_not_found', message: `no flow for ${channelId}` });
        return answer(200, flow, flowEtag(flow));
      }
      if (pathname === '/v1/sdk/resolve-all') return answer(200, { channels: [...served.values()] });
      const path = PATHS[pathname];
      if (!path) return answer(200, {});
      const sent = (JSON.parse(init.body ?? '{}') as { events?: RecordedEvent[] }).events ?? [];
      for (const event of sent) events.push({ ...event, path, channelId });
      return answer(200, { accepted: true, stored: sent.length, duplicates: 0, rejected: [] });
    },
  };
}

/** The channel of flows that `testFlow` makes, unless they say otherwise. */
export const TEST_CHANNEL = 'ch_test_flow';

/**
 * A whole resolve answer around screens: what a channel of a test service serves. The first screen is the entry.
 *
 * @param screens as the service would send them
 * @param manifest what the manifest has beside its screens
 */
export function testFlow(screens: Screen[], manifest: Partial<FlowManifest> = {}): ResolvedFlow {
  const flowId = '00000000-0000-4000-8000-000000000001';
  return {
    kind: 'flow',
    flowId,
    versionId: '00000000-0000-4000-8000-000000000002',
    versionNumber: 1,
    assignmentVersion: 1,
    environment: 'test',
    channelId: TEST_CHANNEL,
    experimentId: null,
    variantId: null,
    manifest: {
      flowId,
      schemaVersion: 7,
      version: 1,
      defaultLocale: 'en',
      locales: ['en'],
      entryScreenId: screens[0]?.id ?? null,
      screens,
      ...manifest,
    },
    mediaMap: {},
  };
}

/** What a provider of a test needs beside the service. */
export const TEST_CONFIG = {
  publishableKey: 'ob_pk_test_testing',
  apiBaseUrl: 'http://svc.test',
} as const satisfies SvcConfig;
