import AsyncStorage from '@react-native-async-storage/async-storage';
import { screen as shownScreen } from '@testing-library/react-native';
import { Flow, listManifestResolveCacheEntries, logEvent } from 'svc-flavour';
import { type AsyncStorageLike, DeviceStorage } from '../../src/host/device-storage';
import * as nativeHost from '../../src/host/native-host';
import { PreloadedStore } from '../../src/host/preloaded-store';
import { pass, TestApp, withFreshDevice } from '../support/app';
import { CHANNEL, twoScreens } from '../support/flows';

withFreshDevice();

/** A launch of the app on a device with this storage. */
function launch(storage: Partial<AsyncStorageLike>): TestApp {
  const device = new DeviceStorage(() => ({ ...AsyncStorage, ...storage }) as AsyncStorageLike);
  jest.replaceProperty(nativeHost, 'deviceStorage', device);
  jest.replaceProperty(nativeHost, 'deviceStore', new PreloadedStore(device));
  return new TestApp(twoScreens());
}

beforeEach(() => AsyncStorage.clear());

const flow = <Flow channelId={CHANNEL} />;

it('a device that is read slowly loses no call and makes up nobody', async () => {
  await AsyncStorage.setItem('svc_app_user_id', 'from-before');
  await AsyncStorage.setItem('svc_product_analytics_first_sent', '1');
  const app = launch({
    getItem: (key) =>
      new Promise((resolve) => {
        setTimeout(() => resolve(AsyncStorage.getItem(key)), 800);
      }),
  });
  logEvent('before');
  await app.show(app.provider(flow));
  logEvent('a');
  await pass(700);
  expect(app.service.requests).toEqual([]);
  expect(shownScreen.getByLabelText('Loading')).toBeTruthy();
  await pass(2_000);
  expect(shownScreen.getByText('Hello')).toBeTruthy();
  await pass(5_000);
  expect(app.service.names('/analytics/events')).toEqual(['session_start', 'before', 'a']);
  expect(app.service.names('/sdk/events')).toEqual(['flow_started', 'step_viewed']);
  expect(new Set(app.service.stored.map((event) => event.identity.appUserId))).toEqual(new Set(['from-before']));
});

it('a device that throws means memory only', async () => {
  const no = () => Promise.reject(new Error('blocked'));
  const app = launch({ getItem: no, setItem: no, removeItem: no, getAllKeys: no });
  await app.show(app.provider(flow));
  expect(shownScreen.getByText('Hello')).toBeTruthy();
  logEvent('a');
  await pass(5_000);
  expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open', 'a']);
  expect(new Set(app.service.stored.map((event) => event.identity.appUserId)).size).toBe(1);
});

it('a device that never answers holds up nothing for long', async () => {
  const never = () => new Promise<never>(() => undefined);
  const app = launch({ getItem: never, setItem: never, removeItem: never, getAllKeys: never });
  await app.show(app.provider(flow));
  await pass(3_000);
  expect(shownScreen.getByText('Hello')).toBeTruthy();
  await pass(5_000);
  expect(app.service.names('/sdk/events')).toEqual(['flow_started', 'step_viewed']);
});

it('old and broken data is no obstacle', async () => {
  await AsyncStorage.setItem('svc_app_user_id', '   ');
  await AsyncStorage.setItem('svc_product_analytics_session_id', 'old');
  await AsyncStorage.setItem('svc_product_analytics_session_last_at', 'yesterday');
  await AsyncStorage.setItem('svc_session_attribution_v1', '{broken');
  await AsyncStorage.setItem('svc:resolve-order', 'broken');
  const app = launch({});
  await app.show(app.provider(flow));
  await pass(5_000);
  expect(shownScreen.getByText('Hello')).toBeTruthy();
  expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
  expect(app.service.stored[0]?.identity.appUserId).toMatch(/^[0-9a-f-]{36}$/);
  expect(app.service.stored[0]?.identity.sessionId).not.toBe('old');
});

it('a flow of an earlier launch is shown when the service cannot be reached', async () => {
  const first = launch({});
  await first.show(first.provider(flow));
  await first.unmount();
  await pass(100);
  const second = launch({});
  second.service.down = true;
  await second.show(second.provider(flow));
  await pass(3_000);
  expect(shownScreen.getByText('Hello')).toBeTruthy();
  expect(await listManifestResolveCacheEntries()).toMatchObject([{ channelId: CHANNEL }]);
});
