// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  buildSdkEvent,
  captureWebAttributionFromLocation,
  clearManifestResolveCache,
  collectWebAttributionAttributes,
  createSdkLogger,
  type EventQueue,
  generateEventId,
  getResolvedAppUserId,
  getSdkLogger,
  getSdkLogLevel,
  listManifestResolveCacheEntries,
  peekManifestResolveCache,
  registerSdkLogLevel,
  resolveManifest,
  useEventQueue,
} from '../src/index';
import { createTestService, SvcTestProvider } from '../src/testing';
import { mountUi } from './support/dom';
import { twoScreens } from './support/service';

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('look into the cache of the mounted provider, empty it, and know nothing without one', async () => {
  await expect(resolveManifest('ch_test_main')).rejects.toThrow('SvcProvider');
  expect(peekManifestResolveCache('ch_test_main')).toBeUndefined();
  const service = createTestService({ ch_test_main: twoScreens() });
  const ui = await mountUi(<SvcTestProvider service={service} config={{ userId: 'ada' }} />);
  expect((await resolveManifest('ch_test_main')).versionId).toBe(twoScreens().versionId);
  await ui.pass();
  expect(peekManifestResolveCache(' ch_test_main ')?.channelId).toBe('ch_test_main');
  expect(await listManifestResolveCacheEntries()).toMatchObject([{ channelId: 'ch_test_main', appUserId: 'ada' }]);
  expect(await clearManifestResolveCache()).toBe(1);
  expect(await listManifestResolveCacheEntries()).toEqual([]);
  expect(service.events).toEqual([]);
  await ui.unmount();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await clearManifestResolveCache()).toBe(0);
});

it('read attribution from an address', () => {
  const keys = captureWebAttributionFromLocation(
    'https://shop.example/?utm_source=letter&utm_campaign=spring',
    'https://mail.example/inbox',
  );
  expect(keys).toMatchObject({
    'attribution.provider': 'web_first_party',
    'acquisition.source': 'letter',
    'acquisition.campaign': 'spring',
    'attribution.isOrganic': false,
    'link.ext.referrer': 'mail.example',
  });
  expect(captureWebAttributionFromLocation('no address')).toEqual({});
});

it('keeps the attribution of the arrival while the visitor walks through the page', async () => {
  window.history.replaceState(null, '', '/?utm_source=letter');
  expect(collectWebAttributionAttributes()).toMatchObject({ 'acquisition.source': 'letter' });
  const ui = await mountUi(<SvcTestProvider />);
  window.history.pushState(null, '', '/elsewhere');
  expect(collectWebAttributionAttributes()).toMatchObject({ 'acquisition.source': 'letter' });
  expect(captureWebAttributionFromLocation()).not.toHaveProperty('acquisition.source');
  await ui.unmount();
});

describe('hand-made flow events', () => {
  const flow = twoScreens();
  const happened = {
    name: 'choice_selected' as const,
    stepId: 'scr_a',
    properties: { field_key: 'colour', value: 'blue' },
    flowId: flow.flowId,
    versionId: flow.versionId,
    assignmentVersion: flow.assignmentVersion,
  };
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('bear an id, the time and the person of the config', () => {
    vi.setSystemTime('2026-03-01T12:00:00.000Z');
    const event = buildSdkEvent(
      { publishableKey: 'k', userId: ' ada ', customUserId: 'c1', sessionId: 's1', locale: 'de_AT', platform: 'web' },
      happened,
    );
    expect(event).toEqual({
      ...happened,
      eventId: expect.stringMatching(UUID),
      timestamp: '2026-03-01T12:00:00.000Z',
      experimentId: null,
      variantId: null,
      identity: { appUserId: 'ada', customUserId: 'c1', sessionId: 's1' },
      context: { platform: 'web', locale: 'de-AT' },
    });
    expect(generateEventId()).not.toBe(generateEventId());
  });

  it('take the anonymous id from the mounted provider, and are refused when nobody is known', async () => {
    expect(() => getResolvedAppUserId({})).toThrow('SvcConfig.userId is missing');
    expect(() => buildSdkEvent({ publishableKey: 'k' }, happened)).toThrow('SvcConfig.userId is missing');
    const ui = await mountUi(<SvcTestProvider />);
    const event = buildSdkEvent({ publishableKey: 'k' }, happened);
    expect(event.identity).toEqual({ appUserId: localStorage.getItem('svc_app_user_id') });
    expect(event.context).toEqual({ platform: 'web' });
    await ui.unmount();
  });

  it('are sent through the queue of the provider', async () => {
    const service = createTestService();
    let queue: EventQueue | undefined;
    const Grab = () => {
      queue = useEventQueue();
      return null;
    };
    const ui = await mountUi(
      <SvcTestProvider service={service}>
        <Grab />
      </SvcTestProvider>,
    );
    const event = buildSdkEvent({ publishableKey: 'k', userId: 'ada' }, happened);
    queue?.enqueue(event, { channelId: 'ch_test_main' });
    expect(queue?.size).toBe(1);
    await queue?.flush();
    expect(queue?.size).toBe(0);
    expect(service.events.filter(({ path }) => path === 'flow')).toMatchObject([
      { eventId: event.eventId, name: 'choice_selected', channelId: 'ch_test_main' },
    ]);
    await ui.unmount();
  });
});

describe('logging', () => {
  afterEach(() => registerSdkLogLevel('silent'));

  it('goes by the registered level until a provider is mounted, and then by its own', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    expect(getSdkLogLevel()).toBe('silent');
    getSdkLogger().warn('unheard');
    expect(warn).not.toHaveBeenCalled();
    registerSdkLogLevel('warn');
    getSdkLogger().warn('heard', 1);
    expect(warn.mock.calls).toEqual([['[svc]', 'heard', 1]]);

    const ui = await mountUi(<SvcTestProvider />);
    expect(getSdkLogger().level).toBe('warn');
    await ui.unmount();
    const silent = await mountUi(<SvcTestProvider logLevel="silent" />);
    expect(getSdkLogLevel()).toBe('silent');
    expect(createSdkLogger().level).toBe('silent');
    expect(createSdkLogger('debug').level).toBe('debug');
    await silent.unmount();
    expect(getSdkLogLevel()).toBe('warn');
  });
});
