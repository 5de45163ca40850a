'use client';

import { type FetchLike, type FetchResponse, flowEtag, type ResolvedFlow, type SvcConfig } from '@svc/core';
import { type ReactNode, useState } from 'react';
import { SvcProvider, type SvcProviderProps } from './provider/provider';

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
      const { pathname, searchParams } = new URL(url);
      const channelId = init.headers['x-svc-channel'] ?? searchParams.get('channel');
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

export interface SvcTestProviderProps extends Omit<SvcProviderProps, 'config'> {
  /** Default: a service without flows. */
  service?: TestService;
  config?: Partial<SvcConfig>;
  children?: ReactNode;
}

/** A `SvcProvider` on a test service, with consent granted. */
export function SvcTestProvider({ service, config, ...rest }: SvcTestProviderProps) {
  const [own] = useState(() => createTestService());
  const { fetcher } = service ?? own;
  const merged: SvcConfig = {
    publishableKey: 'ob_pk_test_testing',
    apiBaseUrl: 'http://svc.test',
    analytics: { consent: 'granted' },
    ...config,
    fetcher,
  };
  return <SvcProvider config={merged} {...rest} />;
}
