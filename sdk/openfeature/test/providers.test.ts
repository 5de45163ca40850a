import { OpenFeature as OpenFeatureServer } from '@openfeature/server-sdk';
import { OpenFeature as OpenFeatureWeb, ProviderStatus } from '@openfeature/web-sdk';
import { type ResolvedFlow, SvcConfigError } from '@svc/core';
import { afterEach, expect, it } from 'vitest';
import { SvcServerProvider } from '../src/server';
import { SvcWebProvider } from '../src/web';

interface Sent {
  name: string;
  variantId?: string | null;
  identity: { appUserId: string };
  properties?: object;
}

const PAYWALL = 'ch_test_paywall';
const PLAIN = 'ch_test_plain';

function served(channelId: string, extra: Partial<ResolvedFlow> = {}): ResolvedFlow {
  return {
    flowId: 'a0000000-0000-4000-8000-0000000000aa',
    versionId: 'b0000000-0000-4000-8000-000000000003',
    versionNumber: 3,
    assignmentVersion: 7,
    environment: 'test',
    channelId,
    experimentId: null,
    variantId: null,
    mediaMap: {},
    manifest: { screens: [], defaultLocale: 'en' } as unknown as ResolvedFlow['manifest'],
    ...extra,
  };
}

/** A service with an experiment on one channel: each person has an arm. */
function service() {
  const requests: string[] = [];
  const events: (Sent & { path: string })[] = [];
  const state = { online: true };
  const fetcher = async (url: string, init: { headers: Record<string, string>; body?: string }) => {
    if (!state.online) throw new TypeError('offline');
    const { pathname } = new URL(url);
    const body = JSON.parse(init.body ?? '{}') as { identity?: { appUserId: string }; events?: Sent[] };
    const answer = (status: number, value: unknown, etag: string | null = null) => ({
      status,
      headers: { get: (name: string) => (name === 'etag' ? etag : null) },
      text: async () => JSON.stringify(value),
    });
    if (pathname !== '/v1/sdk/resolve') {
      for (const event of body.events ?? []) events.push({ ...event, path: pathname });
      return answer(200, { accepted: true });
    }
    const channelId = init.headers['x-svc-channel'] ?? '';
    requests.push(channelId);
    if (![PAYWALL, PLAIN].includes(channelId)) return answer(404, { code: 'channel_not_found', message: 'none' });
    const arm = { experimentId: 'e0000000-0000-4000-8000-000000000001', variantId: `arm-${body.identity?.appUserId}` };
    const flow = served(channelId, channelId === PAYWALL ? arm : {});
    return answer(200, flow, `"${flow.assignmentVersion}-${flow.versionId}"`);
  };
  const config = { publishableKey: 'ob_pk_test_k', apiBaseUrl: 'http://svc.test', fetcher };
  const exposures = () =>
    events
      .filter(({ name }) => name === 'flow_started')
      .map(({ identity, variantId }) => [identity.appUserId, variantId]);
  return { requests, events, state, config, exposures };
}

afterEach(async () => {
  await OpenFeatureWeb.close();
  await OpenFeatureServer.close();
});

it('in a browser: a flag is a channel, its variant and version are what the person gets', async () => {
  const { config, requests, events, exposures } = service();
  await OpenFeatureWeb.setContext({ targetingKey: 'ada' });
  const granted = { ...config, analytics: { consent: 'granted' as const } };
  const provider = new SvcWebProvider({ config: granted, channels: [PAYWALL, PLAIN, 'ch_test_none'] });
  await OpenFeatureWeb.setProviderAndWait(provider);
  const client = OpenFeatureWeb.getClient();
  expect(client.getStringDetails(PAYWALL, 'control')).toMatchObject({
    value: 'arm-ada',
    variant: 'arm-ada',
    reason: 'SPLIT',
    flagMetadata: { versionNumber: 3, assignmentVersion: 7, variantId: 'arm-ada' },
  });
  for (let i = 0; i < 3; i += 1) expect(client.getNumberValue(PAYWALL, 0)).toBe(3);
  const { versionId } = served(PAYWALL);
  expect(client.getObjectValue(PAYWALL, {})).toMatchObject({ versionId, variantId: 'arm-ada' });
  expect(client.getBooleanDetails(PLAIN, false)).toMatchObject({ value: true, reason: 'STATIC' });
  expect(client.getStringValue(PLAIN, '')).toBe(versionId);
  const missing = { value: 'control', reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' };
  expect(client.getStringDetails('ch_test_none', 'control')).toMatchObject(missing);
  expect(client.getStringDetails('ch_test_unlisted', 'control')).toMatchObject(missing);
  expect(requests).toEqual([PAYWALL, PLAIN, 'ch_test_none']);

  await OpenFeatureWeb.setContext({ targetingKey: 'bob' });
  expect(client.getStringValue(PAYWALL, 'control')).toBe('arm-bob');
  client.track('bought', { value: 9 });
  await OpenFeatureWeb.close();
  expect(exposures()).toEqual([
    ['ada', 'arm-ada'],
    ['bob', 'arm-bob'],
  ]);
  expect(events.find(({ name }) => name === 'bought')).toMatchObject({
    path: '/v1/sdk/analytics/events',
    properties: { value: 9 },
    identity: { appUserId: 'bob' },
  });
});

it('in a browser without a network: default values, and a provider that is ready', async () => {
  const { config, state } = service();
  state.online = false;
  const failures: string[] = [];
  const provider = new SvcWebProvider({
    config: { ...config, loadTimeoutMs: 50 },
    channels: [PAYWALL],
    onError: (report) => failures.push(report.code),
  });
  await OpenFeatureWeb.setProviderAndWait(provider);
  const client = OpenFeatureWeb.getClient();
  expect(client.providerStatus).toBe(ProviderStatus.READY);
  expect(client.getStringDetails(PAYWALL, 'control')).toMatchObject({ value: 'control', errorCode: 'GENERAL' });
  expect(failures).toEqual(['load_failed']);
});

it('on a server: each evaluation is for its own person, asked once and exposed once', async () => {
  const { config, requests, events, exposures, state } = service();
  await OpenFeatureServer.setProviderAndWait(new SvcServerProvider({ config: { ...config, loadTimeoutMs: 50 } }));
  const client = OpenFeatureServer.getClient();
  const [ada, bob, eve] = [{ targetingKey: 'ada' }, { targetingKey: 'bob' }, { targetingKey: 'eve' }];
  const values = await Promise.all([ada, ada, bob].map((person) => client.getStringValue(PAYWALL, 'control', person)));
  expect(values).toEqual(['arm-ada', 'arm-ada', 'arm-bob']);
  expect(await client.getNumberValue(PAYWALL, 0, ada)).toBe(3);
  expect(await client.getBooleanDetails(PLAIN, false, ada)).toMatchObject({ value: true, reason: 'STATIC' });
  expect(await client.getObjectValue(PAYWALL, {}, bob)).toMatchObject({ variantId: 'arm-bob' });
  expect(requests).toHaveLength(3);
  const unknown = await client.getStringDetails('ch_test_none', 'x', ada);
  expect(unknown).toMatchObject({ value: 'x', errorCode: 'FLAG_NOT_FOUND' });
  const nobody = await client.getStringDetails(PAYWALL, 'x');
  expect(nobody).toMatchObject({ value: 'x', errorCode: 'TARGETING_KEY_MISSING' });
  state.online = false;
  expect(await client.getStringDetails(PAYWALL, 'x', eve)).toMatchObject({ value: 'x', errorCode: 'GENERAL' });
  state.online = true;
  expect(await client.getStringValue(PAYWALL, 'x', eve)).toBe('arm-eve');
  client.track('bought', bob, { value: 9 });
  await OpenFeatureServer.close();
  expect(exposures()).toEqual([
    ['ada', 'arm-ada'],
    ['bob', 'arm-bob'],
    ['eve', 'arm-eve'],
  ]);
  const bought = events.find(({ name }) => name === 'bought');
  expect(bought).toMatchObject({ path: '/v1/sdk/track', identity: { appUserId: 'bob' } });
});

it('on a server: what is kept is bounded', async () => {
  const { config, requests } = service();
  await OpenFeatureServer.setProviderAndWait(new SvcServerProvider({ config, cacheEntries: 2 }));
  const client = OpenFeatureServer.getClient();
  for (const targetingKey of ['a', 'b', 'c', 'c', 'a']) await client.getStringValue(PLAIN, '', { targetingKey });
  expect(requests).toHaveLength(4);
});

it('a config that cannot work throws in development', () => {
  const config = { publishableKey: 'undefined' };
  expect(() => new SvcServerProvider({ config })).toThrow(SvcConfigError);
  expect(() => new SvcWebProvider({ config, channels: [] })).toThrow(SvcConfigError);
});
