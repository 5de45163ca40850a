import { act } from '@testing-library/react-native';
import { type AttributionProvider, type AttributionSnapshot, logEvent, type UseFlowResult, useFlow } from 'svc-flavour';
import { enter, pass, TestApp, withFreshDevice } from '../support/app';
import { CHANNEL, twoScreens } from '../support/flows';

withFreshDevice();

let tell: (snapshot: AttributionSnapshot) => void = () => undefined;

const provider = (available = true): AttributionProvider => ({
  id: 'own',
  isAvailable: () => available,
  start: (listener) => {
    tell = listener;
    return () => undefined;
  },
});

const config = (providers: AttributionProvider[], enabled = true) => ({
  publishableKey: 'ob_pk_test_k',
  attribution: { providers, enabled, storage: null },
});
const snapshot = (source: string): AttributionSnapshot => ({
  providerId: 'own',
  capturedAtMs: 1,
  acquisition: { source },
});
const sources = (app: TestApp) =>
  app.service.of('/analytics/events').map((event) => [event.name, event.context.attribution?.['acquisition.source']]);

it('the first events of a session wait for it, at most three seconds', async () => {
  const app = new TestApp(twoScreens());
  await app.show(app.provider(null, { config: config([provider()]) }));
  logEvent('a');
  await pass(1_000);
  tell(snapshot('ads'));
  await pass(5_000);
  expect(sources(app)).toEqual([
    ['session_start', 'ads'],
    ['first_open', 'ads'],
    ['a', 'ads'],
  ]);
});

it('what comes after three seconds is for the next session', async () => {
  const app = new TestApp(twoScreens());
  await app.show(app.provider(null, { config: config([provider()]) }));
  await pass(3_000);
  tell(snapshot('late'));
  logEvent('a');
  await enter('background');
  jest.setSystemTime(Date.now() + 31 * 60_000);
  await enter('active');
  await pass(5_000);
  expect(sources(app)).toEqual([
    ['session_start', undefined],
    ['first_open', undefined],
    ['a', undefined],
    ['session_start', 'late'],
  ]);
});

it('nothing waits without a provider, without its module, or when the host has switched it off', async () => {
  for (const settings of [config([]), config([provider(false)]), config([provider()], false)]) {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(null, { config: settings }));
    logEvent('now');
    await pass(5_000);
    expect(app.service.names('/analytics/events')).toContain('now');
    const [sent] = app.service.requests.filter(({ path }) => path.endsWith('/analytics/events'));
    expect(sent).toBeDefined();
    await app.unmount();
    await pass(100);
  }
});

it('the background ends the wait', async () => {
  const app = new TestApp(twoScreens());
  await app.show(app.provider(null, { config: config([provider()]) }));
  await enter('background');
  expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
});

it('runs see it as soon as it is known, over the attributes of the host, and no longer when it is switched off', async () => {
  let flow: UseFlowResult | null = null;
  function OwnFlow() {
    flow = useFlow({ channelId: CHANNEL });
    return null;
  }
  const attributes = () => flow?.state?.session.sdkAttributes;
  const app = new TestApp(twoScreens());
  const show = (enabled: boolean) =>
    app.show(
      app.provider(<OwnFlow />, {
        config: { ...config([provider()], enabled), sdkAttributes: { plan: 'a', 'acquisition.source': 'host' } },
      }),
    );
  await show(true);
  expect(attributes()).toEqual({ plan: 'a', 'acquisition.source': 'host' });
  await act(async () => tell(snapshot('ads')));
  expect(attributes()).toEqual({ plan: 'a', 'acquisition.source': 'ads', 'attribution.provider': 'own' });
  await show(false);
  expect(attributes()).toEqual({ plan: 'a', 'acquisition.source': 'host' });
  await pass(5_000);
  const observed = app.service.of('/sdk/events').filter(({ name }) => name === 'attribution_context_observed');
  expect(observed.map(({ properties }) => properties)).toEqual([{ attribution_provider: 'own' }]);
});
