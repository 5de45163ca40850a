import { AppState } from 'react-native';
import { bindNavigationState, Flow, logEvent } from 'svc-flavour';
import { deviceStore } from '../../src/host/native-host';
import { enter, pass, TestApp, withFreshDevice } from '../support/app';
import { CHANNEL, twoScreens } from '../support/flows';

withFreshDevice();

const MINUTE = 60_000;
const sessions = (app: TestApp) => app.service.names('/analytics/events').filter((name) => name === 'session_start');

/** Lets time go by in which the app does not run. */
function sleep(ms: number): void {
  jest.setSystemTime(Date.now() + ms);
}

describe('product sessions', () => {
  it('go on after exactly thirty minutes away and begin anew after longer', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(null));
    await enter('background');
    sleep(30 * MINUTE);
    await enter('active');
    logEvent('a');
    await enter('background');
    expect(sessions(app)).toHaveLength(1);
    sleep(30 * MINUTE + 1);
    await enter('active');
    logEvent('b');
    await pass(5_000);
    expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open', 'a', 'session_start', 'b']);
    const ids = app.service.of('/analytics/events').map((event) => event.identity.sessionId);
    expect(ids[0]).toBe(ids[2]);
    expect(ids[3]).toBe(ids[4]);
    expect(ids[3]).not.toBe(ids[2]);
  });

  it('end when the clock goes back', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(null));
    await enter('background');
    sleep(-1);
    await enter('active');
    await pass(5_000);
    expect(sessions(app)).toHaveLength(2);
  });

  it('outlive a launch within thirty minutes', async () => {
    const first = new TestApp(twoScreens());
    await first.show(first.provider(null));
    await first.unmount();
    await pass(100);
    sleep(10 * MINUTE);
    const second = new TestApp(twoScreens());
    await second.show(second.provider(null));
    logEvent('a');
    await pass(5_000);
    expect(second.service.names('/analytics/events')).toEqual(['a']);
    expect(second.service.stored[0]?.identity.sessionId).toBe(first.service.stored[0]?.identity.sessionId);
  });

  it('do not begin while nobody sees the app', async () => {
    const { currentState } = AppState;
    Object.defineProperty(AppState, 'currentState', { value: 'background', configurable: true });
    const app = new TestApp(twoScreens());
    await app.show(app.provider(null));
    Object.defineProperty(AppState, 'currentState', { value: currentState, configurable: true });
    await pass(10_000);
    expect(app.service.stored).toEqual([]);
    await enter('active');
    await pass(5_000);
    expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
  });

  it('count the focused route of a navigator as a screen, once while it stays', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(null));
    const state = { index: 0, routes: [{ name: 'tabs', state: { routes: [{ name: 'feed' }, { name: 'profile' }] } }] };
    bindNavigationState(state);
    bindNavigationState({ ...state });
    bindNavigationState(undefined);
    bindNavigationState({ index: 0, routes: [{ name: 'settings' }] });
    await pass(5_000);
    expect(app.service.of('/analytics/events').flatMap((event) => event.screenName ?? [])).toEqual([
      'profile',
      'settings',
    ]);
  });
});

describe('the background', () => {
  it('sends what waits at once and ends no run; a covered app is not in it', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(<Flow channelId={CHANNEL} />));
    await enter('inactive');
    expect(app.service.stored).toEqual([]);
    await enter('background');
    expect(app.service.names('/sdk/events')).toEqual(['flow_started', 'step_viewed']);
    expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
    await enter('active');
    await pass(10_000);
    expect(app.service.names('/sdk/events')).toEqual(['flow_started', 'step_viewed']);
  });

  it('keeps what could not be sent, and sends it once later', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(null));
    app.service.down = true;
    await enter('background');
    await enter('active');
    await pass(3_000);
    app.service.down = false;
    await pass(60_000);
    expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
  });
});

it('writes the person and the session to the device', async () => {
  const app = new TestApp(twoScreens());
  await app.show(app.provider(null));
  await pass(5_000);
  const { appUserId, sessionId } = app.service.stored[0]?.identity ?? {};
  expect(deviceStore.getItem('svc_app_user_id')).toBe(appUserId);
  expect(deviceStore.getItem('svc_product_analytics_session_id')).toBe(sessionId);
  expect(deviceStore.getItem('svc_product_analytics_first_sent')).toBe('1');
});
