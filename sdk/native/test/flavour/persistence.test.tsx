import AsyncStorage from '@react-native-async-storage/async-storage';
import { Text } from 'react-native';
import { Flow, logEvent, type SvcConfig } from 'svc-flavour';
import { type AsyncStorageLike, DeviceStorage } from '../../src/host/device-storage';
import * as nativeHost from '../../src/host/native-host';
import { PreloadedStore } from '../../src/host/preloaded-store';
import { pass, TestApp, tap, withFreshDevice } from '../support/app';
import { CHANNEL, twoScreens } from '../support/flows';

type Persistence = NonNullable<SvcConfig['persistence']>;

withFreshDevice();
beforeEach(() => AsyncStorage.clear());

/** A launch of the app on this device. The launch before is killed: nothing of it is unmounted. */
function launch({ online }: { online: boolean }): TestApp {
  const device = new DeviceStorage(() => ({ ...AsyncStorage }) as AsyncStorageLike);
  jest.replaceProperty(nativeHost, 'deviceStorage', device);
  jest.replaceProperty(nativeHost, 'deviceStore', new PreloadedStore(device));
  const app = new TestApp(twoScreens());
  app.service.down = !online;
  return app;
}

const show = (app: TestApp, persistence: Persistence, node = <Text>Home</Text>) =>
  app.show(app.provider(node, { config: { persistence } as SvcConfig }));

/** Names of the events in all requests that reached the service, those of repeated requests too. */
const sent = (app: TestApp, path: string) =>
  app.service.requests
    .filter((request) => request.path.endsWith(path))
    .flatMap(({ body }) => (body as { events: { name: string }[] }).events.map(({ name }) => name));

const RUN = ['flow_started', 'step_viewed', 'step_completed', 'step_viewed'];

/** A run that was killed while there was no network, and a launch without one after it. */
async function killedRun(persistence: Persistence): Promise<void> {
  const first = launch({ online: true });
  await show(first, persistence, <Flow channelId={CHANNEL} />);
  first.service.down = true;
  await tap('Next');
  logEvent('bought');
  await pass(6_000);
  expect(first.service.stored).toEqual([]);
  const second = launch({ online: false });
  await show(second, persistence);
  await pass(20_000);
}

it('what a killed run could not deliver arrives once, at the launch that has a network', async () => {
  await killedRun('device');
  const third = launch({ online: true });
  await show(third, 'device');
  await pass(20_000);
  expect(sent(third, '/sdk/events')).toEqual(RUN);
  expect(sent(third, '/analytics/events').filter((name) => name === 'bought')).toEqual(['bought']);
  expect((await AsyncStorage.getAllKeys()).filter((key) => key.startsWith('svc:event:'))).toEqual([]);
  const fourth = launch({ online: true });
  await show(fourth, 'device');
  await pass(20_000);
  expect(sent(fourth, '/sdk/events')).toEqual([]);
});

it('is lost where only memory keeps events', async () => {
  await killedRun('memory');
  expect((await AsyncStorage.getAllKeys()).filter((key) => key.startsWith('svc:event:'))).toEqual([]);
  const third = launch({ online: true });
  await show(third, 'memory');
  await pass(20_000);
  expect(sent(third, '/sdk/events')).toEqual([]);
});
