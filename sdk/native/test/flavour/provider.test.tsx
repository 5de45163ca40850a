import { act, screen as shownScreen } from '@testing-library/react-native';
import { type ReactElement, useEffect } from 'react';
import { Text } from 'react-native';
import {
  Flow,
  logEvent,
  reset,
  screen,
  setUserId,
  type UseFlowResult,
  useFlow,
  useSvc,
  useSvcCustomUserId,
  useSvcPrefetch,
} from 'svc-flavour';
import { pass, TestApp, tap, withFreshDevice } from '../support/app';
import { CHANNEL, twoScreens } from '../support/flows';

withFreshDevice();

let shown: UseFlowResult | null = null;
const abandoned = jest.fn();

function OwnFlow() {
  shown = useFlow({ channelId: CHANNEL, onFlowAbandoned: abandoned });
  return <Text>{shown.screen?.id ?? (shown.loading ? 'loading' : 'nothing')}</Text>;
}

beforeEach(() => {
  shown = null;
  abandoned.mockClear();
});

const terminals = (app: TestApp) =>
  app.service.names('/sdk/events').filter((name) => /_(completed|abandoned)$/.test(name) && name.startsWith('flow'));

describe('the provider', () => {
  it('throws without a key, and names the field', async () => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const app = new TestApp(twoScreens());
    await expect(app.show(app.provider(null, { config: { publishableKey: '' } }))).rejects.toThrow('publishableKey');
  });

  it('offers its config, prefetches silently, and starts a session at mount', async () => {
    const app = new TestApp(twoScreens());
    let key = '';
    function Child() {
      key = useSvc().publishableKey;
      const { prefetch } = useSvcPrefetch();
      useEffect(() => void prefetch('ch_test_other'), [prefetch]);
      return null;
    }
    await app.show(app.provider(<Child />, { prefetch: [CHANNEL] }));
    await pass(5_000);
    expect(key).toBe('ob_pk_test_k');
    expect(app.service.count('/resolve')).toBe(2);
    expect(app.service.names('/sdk/events')).toEqual([]);
    expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
    expect(app.service.stored[0]?.context).toMatchObject({ platform: 'ios', os: 'iOS', device: 'mobile' });
  });

  it("stores a call of a child's effect in its own commit once, and calls before it", async () => {
    const app = new TestApp(twoScreens());
    logEvent('before');
    function Child() {
      useEffect(() => logEvent('early', { n: 1 }), []);
      return null;
    }
    await app.show(app.provider(<Child />));
    screen('home');
    screen('home');
    await pass(5_000);
    expect(app.service.names('/analytics/events')).toEqual([
      'session_start',
      'first_open',
      'before',
      'early',
      'screen_view',
    ]);
  });

  it('resolves once and stays in one session over fifty renders with fresh literals', async () => {
    const app = new TestApp(twoScreens());
    for (let i = 0; i < 50; i += 1) {
      const config = {
        publishableKey: 'ob_pk_test_k',
        sdkAttributes: { plan: 'a' },
        attribution: { providers: [], enabled: true },
      };
      await app.show(app.provider(<OwnFlow />, { config, prefetch: [CHANNEL], onEvent: () => undefined }));
    }
    await pass(5_000);
    expect(app.service.count('/resolve')).toBe(1);
    expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
    expect(app.service.names('/sdk/events')).toEqual(['flow_started', 'step_viewed']);
  });

  it('keeps the anonymous id over launches and drops it with reset', async () => {
    const first = new TestApp(twoScreens());
    await first.show(first.provider(null));
    await first.unmount();
    await pass(100);
    const second = new TestApp(twoScreens());
    await second.show(second.provider(null));
    setUserId('user-9');
    logEvent('a');
    reset();
    logEvent('b');
    await pass(5_000);
    const [before] = first.service.stored;
    const [a, start, open, b] = second.service.stored;
    expect(before?.identity.appUserId).toMatch(/^[0-9a-f-]{36}$/);
    expect(a?.identity).toMatchObject({ appUserId: before?.identity.appUserId, customUserId: 'user-9' });
    expect([start?.name, open?.name, b?.name]).toEqual(['session_start', 'first_open', 'b']);
    expect(b?.identity.appUserId).not.toBe(a?.identity.appUserId);
    expect(b?.identity.customUserId).toBeUndefined();
  });
});

describe('a flow', () => {
  it('survives StrictMode: one start, one resolve, one session, nothing abandoned', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(<Flow channelId={CHANNEL} />), { strict: true });
    await pass(5_000);
    expect(shownScreen.getByText('Hello')).toBeTruthy();
    expect(app.service.names('/sdk/events')).toEqual(['flow_started', 'step_viewed']);
    expect(app.service.count('/resolve')).toBe(1);
    expect(app.service.names('/analytics/events')).toEqual(['session_start', 'first_open']);
  });

  it.each([
    ['the root', (app: TestApp) => app.unmount()],
    ['flow and provider together', (app: TestApp) => app.show(null)],
    [
      'the flow and then, in the same task, its provider',
      async (app: TestApp) => {
        await act(async () => {
          shownScreen.rerender(app.provider(null) as ReactElement);
          shownScreen.rerender(<Text />);
        });
      },
    ],
  ])('is stored as abandoned once when %s goes', async (_, remove) => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(<OwnFlow />));
    expect(shown?.screen?.id).toBe('scr_a');
    await remove(app);
    await pass(100);
    expect(terminals(app)).toEqual(['flow_abandoned']);
    expect(abandoned).not.toHaveBeenCalled();
  });

  it('is abandoned once by abandon() and a removal after it, and tells the host', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(<OwnFlow />));
    await act(async () => shown?.abandon());
    await app.unmount();
    await pass(100);
    expect(terminals(app)).toEqual(['flow_abandoned']);
    expect(abandoned).toHaveBeenCalledTimes(1);
    expect(abandoned.mock.calls[0]?.[0]).toMatchObject({ terminal: 'abandoned', device: { platform: 'ios' } });
  });

  it('ends once when the host takes it away as it completes', async () => {
    const app = new TestApp(twoScreens());
    const completed = jest.fn(() => shownScreen.rerender(<Text />));
    await app.show(app.provider(<Flow channelId={CHANNEL} onFlowCompleted={completed} includePathInTerminalPayload />));
    await tap('Next');
    await tap('Next');
    await pass(100);
    expect(terminals(app)).toEqual(['flow_completed']);
    expect(completed).toHaveBeenCalledTimes(1);
    expect((completed.mock.calls[0] as unknown[])[0]).toMatchObject({ schemaVersion: 1, path: ['scr_a', 'scr_b'] });
  });

  it("belongs to one person: a switch offline never shows the former one's arm", async () => {
    const app = new TestApp(twoScreens());
    app.service.flows.set('ada', twoScreens('For Ada'));
    app.service.flows.set('bob', twoScreens('For Bob'));
    const as = (userId: string) =>
      app.provider(<Flow channelId={CHANNEL} />, { config: { publishableKey: 'ob_pk_test_k', userId } });
    await app.show(as('ada'));
    expect(shownScreen.getByText('For Ada')).toBeTruthy();
    app.service.down = true;
    await app.show(as('bob'));
    expect(shownScreen.queryByText('For Ada')).toBeNull();
    await pass(11_000);
    expect(shownScreen.queryByText('For Ada')).toBeNull();
    expect(shownScreen.getByRole('alert')).toBeTruthy();
    app.service.down = false;
    await tap('Try again');
    expect(shownScreen.getByText('For Bob')).toBeTruthy();
    await pass(60_000);
    const started = app.service.of('/sdk/events').filter((event) => event.name === 'flow_started');
    expect(started.map((event) => event.identity.appUserId)).toEqual(['ada', 'bob']);
    const ended = app.service.of('/sdk/events').filter((event) => event.name === 'flow_abandoned');
    expect(ended.map((event) => event.identity.appUserId)).toEqual(['ada']);
  });

  it('takes a new custom user id along', async () => {
    const app = new TestApp(twoScreens());
    let set: (id?: string | null) => void = () => undefined;
    function Sign() {
      const { customUserId, setCustomUserId } = useSvcCustomUserId();
      set = setCustomUserId;
      return <Text>{customUserId}</Text>;
    }
    await app.show(
      app.provider(
        <>
          <OwnFlow />
          <Sign />
        </>,
      ),
    );
    await act(async () => set('c1'));
    expect(shownScreen.getByText('c1')).toBeTruthy();
    await act(async () => void shown?.respond({ kind: 'cta', action: 'primary' }));
    await pass(5_000);
    const ids = app.service.of('/sdk/events').map((event) => [event.name, event.identity.customUserId]);
    expect(ids).toEqual([
      ['flow_started', undefined],
      ['step_viewed', undefined],
      ['step_completed', 'c1'],
      ['step_viewed', 'c1'],
    ]);
  });
});
