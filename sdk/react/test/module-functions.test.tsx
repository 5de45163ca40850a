// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  captureWebAttributionFromLocation,
  clearManifestResolveCache,
  listManifestResolveCacheEntries,
  peekManifestResolveCache,
  resolveManifest,
} from '../src/index';
import { createTestService, SvcTestProvider } from '../src/testing';
import { mountUi } from './support/dom';
import { twoScreens } from './support/service';

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

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
