import { logEvent, relay, screen } from '@svc/react-core';
import { AppState } from 'react-native';
import { normalizeAppsFlyerConversionPayload } from '../../src/attribution/appsflyer-payload';
import type { AttributionProvider } from '../../src/attribution/providers';
import { type AsyncStorageLike, DeviceStorage } from '../../src/host/device-storage';
import { NativeClient } from '../../src/host/native-client';
import { parseUrl } from '../../src/host/parse-url';
import { requestPermission } from '../../src/host/permissions';
import { PreloadedStore } from '../../src/host/preloaded-store';
import { screen as screenOf, served, text } from '../support/flows';

// One launch of an app, from the first look at the device to the background, in a virtual machine that has neither
// `crypto` nor `URL`, `TextEncoder`, `AbortController` or `structuredClone`.

declare const print: (line: string) => void;

const scope = globalThis as Record<string, unknown>;
const missing = ['crypto', 'URL', 'TextEncoder', 'AbortController', 'structuredClone'].filter(
  (name) => scope[name] === undefined,
);
scope.window = scope;
scope.console = { warn: () => undefined, debug: () => undefined };

const kept = new Map([['svc_app_user_id', 'from-before']]);
const storage: AsyncStorageLike = {
  getItem: async (key) => kept.get(key) ?? null,
  setItem: async (key, value) => void kept.set(key, value),
  removeItem: async (key) => void kept.delete(key),
  getAllKeys: async () => [...kept.keys()],
};
const flow = served([screenOf('scr_a', [text('lyr_a', 'Grüße 👋')])]);
const stored: { path: string; name: string; appUserId: string; context: unknown }[] = [];

async function service(url: string, init: { body?: string }) {
  const path = url.replace(/^https?:\/\/[^/]+/, '');
  if (path === '/v1/sdk/resolve') return answer(flow, '"1-b"');
  const { events = [] } = JSON.parse(init.body ?? '{}') as {
    events?: { name: string; identity: { appUserId: string }; context: unknown }[];
  };
  for (const { name, identity, context } of events) {
    stored.push({ path, name, appUserId: identity.appUserId, context });
  }
  return answer({ accepted: true, rejected: [] });
}
function answer(body: unknown, etag: string | null = null) {
  return {
    status: 200,
    headers: { get: (name: string) => (name === 'etag' ? etag : null) },
    text: async () => JSON.stringify(body),
  };
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

async function launch(): Promise<void> {
  const device = new DeviceStorage(() => storage);
  const store = new PreloadedStore(device);
  const provider: AttributionProvider = {
    id: 'appsflyer',
    isAvailable: () => true,
    start: (listener) => {
      const snapshot = normalizeAppsFlyerConversionPayload({ media_source: 'ads', af_sub1: 'ä' }, 1);
      if (snapshot) setTimeout(() => listener(snapshot), 1);
      return () => undefined;
    },
  };
  const config = {
    publishableKey: 'ob_pk_test_k',
    apiBaseUrl: 'http://10.0.2.2:4000',
    fetcher: service,
    attribution: { providers: [provider] },
  };
  const actions = { requestPermission };
  const host = new NativeClient({ device, store, actions }, config, {});
  logEvent('early');
  host.mount();
  const { flow: resolved } = await host.client.resolve('ch_test_main');
  const run = host.client.runs.create(resolved, 'ch_test_main');
  run.start();
  screen('Größe');
  await pause(20);
  (AppState as unknown as { enter(state: string): void }).enter('background');
  await pause(20);
  run.dispose();
  host.unmount();
  await pause(50);
  print(
    JSON.stringify({
      missing,
      events: stored.map(({ path, name }) => `${path} ${name}`),
      people: [...new Set(stored.map(({ appUserId }) => appUserId))],
      context: stored.find(({ name }) => name === 'screen_view')?.context,
      url: parseUrl('HTTPS://a.example:8443/x?y#z'),
      permission: await requestPermission('camera'),
      kept: [...kept.keys()].filter((key) => key.startsWith('svc')).sort(),
      attached: relay.attached !== null,
    }),
  );
}

launch().catch((error: Error) => print(`failed: ${error.stack ?? error.message}`));
