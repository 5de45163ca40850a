import AsyncStorage from '@react-native-async-storage/async-storage';
import { act, fireEvent, screen as shownScreen } from '@testing-library/react-native';
import { BackHandler, Platform, Text } from 'react-native';
import {
  type ExternalSurfaceProps,
  Flow,
  type FlowProps,
  LayerRenderer,
  type UseFlowResult,
  useFlow,
} from 'svc-flavour';
import { pass, TestApp, tap, withFreshDevice } from '../support/app';
import { button, CHANNEL, screen, served, text, twoScreens, withSurface } from '../support/flows';

const mockRequest = jest.fn();
jest.mock('react-native-permissions', () => ({ request: mockRequest }));
const mockPaywall = { presentPaywall: jest.fn() };
jest.mock('react-native-purchases-ui', () => ({ default: mockPaywall }));
jest.mock('react-native-purchases', () => ({
  default: { getCustomerInfo: async () => ({ activeSubscriptions: ['month'] }) },
}));
const mockReview = { isAvailableAsync: jest.fn(), requestReview: jest.fn() };
jest.mock('expo-store-review', () => mockReview);
jest.mock('react-native-in-app-review', () => ({
  default: { isAvailable: () => true, RequestInAppReview: mockReview.requestReview },
}));

withFreshDevice();

beforeEach(() => {
  mockRequest.mockReset().mockResolvedValue('granted');
  mockPaywall.presentPaywall.mockReset().mockResolvedValue('CANCELLED');
  mockReview.isAvailableAsync.mockReset().mockResolvedValue(true);
  mockReview.requestReview.mockReset().mockResolvedValue(undefined);
});

async function showing(flow: ReturnType<typeof served>, props: Partial<FlowProps> = {}): Promise<TestApp> {
  const app = new TestApp(flow);
  await app.show(app.provider(<Flow channelId={CHANNEL} {...props} />));
  return app;
}

const eventsOf = (app: TestApp, name: string) => app.service.of('/sdk/events').filter((event) => event.name === name);

describe('what is shown', () => {
  it('is a spinner, then the screens, then nothing', async () => {
    const app = new TestApp(twoScreens());
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { fetch } = app.service;
    app.service.fetch = async (url, init) => {
      await held;
      return fetch(url, init);
    };
    await app.show(app.provider(<Flow channelId={CHANNEL} />));
    expect(shownScreen.getByLabelText('Loading')).toBeTruthy();
    answer();
    await pass(0);
    await tap('Next');
    expect(shownScreen.getByText('Bye')).toBeTruthy();
    await tap('Next');
    expect(shownScreen.toJSON()).toBeNull();
  });

  it("is the host's own while loading and after a failure, which can be tried again", async () => {
    const app = new TestApp(twoScreens());
    app.service.down = true;
    const fallback: FlowProps['fallback'] = ({ error, retry }) => <Text onPress={retry}>{error.name}</Text>;
    await app.show(app.provider(<Flow channelId={CHANNEL} loading={<Text>One moment</Text>} fallback={fallback} />));
    expect(shownScreen.getByText('One moment')).toBeTruthy();
    await pass(11_000);
    app.service.down = false;
    await tap('SvcNetworkError');
    expect(shownScreen.getByText('Hello')).toBeTruthy();
  });

  it('is an error without a channel, and no request', async () => {
    const app = new TestApp(twoScreens());
    await app.show(app.provider(<Flow channelId="  " fallback={({ error }) => <Text>{error.name}</Text>} />));
    expect(shownScreen.getByText('SvcChannelRequiredError')).toBeTruthy();
    expect(app.service.count('/resolve')).toBe(0);
  });

  it('can be a single screen, without provider and network', async () => {
    const { manifest } = twoScreens();
    const responded = jest.fn();
    const app = new TestApp(twoScreens());
    await app.show(<LayerRenderer manifest={manifest} screen={manifest.screens[0]!} onRespond={responded} />);
    await tap('Next');
    expect(responded.mock.calls).toEqual([[{ kind: 'cta', action: 'primary' }]]);
  });
});

describe("Android's back button", () => {
  const listeners = new Set<() => boolean | null | undefined>();
  const press = () => [...listeners];
  beforeEach(() => {
    jest.replaceProperty(Platform, 'OS', 'android' as never);
    listeners.clear();
    jest.spyOn(BackHandler, 'addEventListener').mockImplementation((_, listener) => {
      listeners.add(listener);
      return { remove: () => void listeners.delete(listener) };
    });
  });

  it('goes back a screen while there is one to go back to, and is the app’s otherwise', async () => {
    await showing(twoScreens());
    expect(press()).toEqual([]);
    await tap('Next');
    const [back] = press();
    let handled: boolean | null | undefined;
    await act(async () => {
      handled = back?.();
    });
    expect(handled).toBe(true);
    expect(shownScreen.getByText('Hello')).toBeTruthy();
    expect(press()).toEqual([]);
  });

  it('is left alone when the host says so', async () => {
    await showing(twoScreens(), { handlesHardwareBack: false });
    await tap('Next');
    expect(press()).toEqual([]);
  });
});

describe('surfaces', () => {
  const outcomes = { purchase_completed: 'scr_paid' };

  it("show RevenueCat's paywall once, record the purchase and go its way", async () => {
    mockPaywall.presentPaywall.mockResolvedValue('PURCHASED');
    const app = await showing(withSurface({ provider: 'revenuecat' }, outcomes));
    await tap('Next');
    await pass(100);
    expect(mockPaywall.presentPaywall).toHaveBeenCalledTimes(1);
    expect(shownScreen.getByText('Thanks')).toBeTruthy();
    await pass(5_000);
    expect(app.service.names('/sdk/events')).toEqual([
      'flow_started',
      'step_viewed',
      'step_completed',
      'surface_presented',
      'surface_outcome',
      'iap_purchase',
      'step_viewed',
    ]);
    expect(eventsOf(app, 'iap_purchase')[0]?.properties).toEqual({
      provider: 'revenuecat',
      surface_node_id: 'surf_x',
      product_id: 'month',
    });
  });

  it('fail and go the fallback way when they cannot be presented', async () => {
    mockPaywall.presentPaywall.mockRejectedValue(new Error('no store'));
    for (const provider of ['revenuecat', 'superwall', 'stripe', 'unspecified', 'headless'] as const) {
      const app = await showing(withSurface({ provider }, outcomes));
      await tap('Next');
      await pass(100);
      expect(shownScreen.getByText('Maybe later')).toBeTruthy();
      await pass(5_000);
      expect(eventsOf(app, 'surface_outcome')[0]?.properties).toMatchObject({ provider, outcome: 'failed' });
      await app.unmount();
    }
  });

  it("are the host's components where they are headless, and only their first answer counts", async () => {
    function Survey({ surfaceId, onComplete, onDismiss }: ExternalSurfaceProps) {
      return (
        <Text
          onPress={() => {
            onComplete({ answered: true });
            onDismiss();
          }}
        >
          {surfaceId}
        </Text>
      );
    }
    const app = await showing(withSurface({ provider: 'headless', hostKey: 'survey' }, { completed: 'scr_paid' }), {
      externalSurfaces: { survey: Survey },
    });
    await tap('Next');
    await tap('surf_x');
    expect(shownScreen.getByText('Thanks')).toBeTruthy();
    await pass(5_000);
    expect(eventsOf(app, 'surface_outcome').map((event) => event.properties?.outcome)).toEqual(['completed']);
  });

  it("are presented by the host's own function where there is one", async () => {
    const present = jest.fn(async () => ({ outcome: 'purchase_completed' as const }));
    await showing(withSurface({ provider: 'superwall', placementId: 'x' }, outcomes), {
      externalSurfacePresenter: present,
    });
    await tap('Next');
    await pass(100);
    expect(present).toHaveBeenCalledTimes(1);
    expect(shownScreen.getByText('Thanks')).toBeTruthy();
  });
});

describe('buttons that ask the system', () => {
  const asking = (action: Parameters<typeof button>[1]) =>
    served([screen('scr_a', [button('lyr_ask', action, 'Ask')], 'scr_b'), screen('scr_b', [text('lyr_b', 'Thanks')])]);

  it('ask for a permission and record the answer', async () => {
    mockRequest.mockResolvedValue('blocked');
    const app = await showing(
      asking({
        kind: 'request_os_permission',
        permissionKey: 'camera',
        outcomes: { granted: 'continue', denied: 'continue', blocked: 'continue' } as never,
      }),
    );
    await tap('Ask');
    expect(shownScreen.getByText('Thanks')).toBeTruthy();
    await pass(5_000);
    expect(mockRequest.mock.calls).toEqual([['ios.permission.CAMERA']]);
    expect(eventsOf(app, 'text_submitted')[0]?.properties).toEqual({
      field_key: 'permission:camera',
      value: 'blocked',
    });
  });

  it('ask for a review, wait for its prompt on iOS, and record its two moments', async () => {
    const app = await showing(asking({ kind: 'request_app_review' }));
    await tap('Ask');
    await pass(1_400);
    expect(shownScreen.queryByText('Thanks')).toBeNull();
    await pass(100);
    expect(shownScreen.getByText('Thanks')).toBeTruthy();
    await pass(5_000);
    expect(mockReview.requestReview).toHaveBeenCalledTimes(1);
    expect(app.service.names('/sdk/events').slice(2)).toEqual([
      'app_review_prompt_shown',
      'app_review_prompt_dismissed',
      'text_submitted',
      'step_completed',
      'step_viewed',
    ]);
  });

  it('can be relayed by a UI of the host’s own', async () => {
    let flow: UseFlowResult | null = null;
    function Own() {
      flow = useFlow({ channelId: CHANNEL });
      return <Text>{flow.screen?.id}</Text>;
    }
    const app = new TestApp(asking({ kind: 'request_app_review' }));
    await app.show(app.provider(<Own />));
    await act(async () => {
      void (flow as unknown as UseFlowResult).relayNativeButtonAction({ kind: 'request_app_review' }, { layerId: 'x' });
      await jest.advanceTimersByTimeAsync(1_500);
    });
    expect(shownScreen.getByText('scr_b')).toBeTruthy();
    await pass(5_000);
    expect(eventsOf(app, 'app_review_prompt_shown')).toHaveLength(1);
  });
});

describe('secrets', () => {
  it('a typed password is in no snapshot, request, storage or log', async () => {
    const logged: unknown[] = [];
    for (const method of ['log', 'warn', 'error', 'debug', 'info'] as const) {
      jest.spyOn(console, method).mockImplementation((...parts) => void logged.push(parts));
    }
    const form = (id: string): Parameters<typeof screen>[1] => [
      {
        id,
        kind: 'email_password_auth',
        mode: 'sign_up',
        fieldKey: 'account',
        children: [
          { id: `${id}_e`, kind: 'email_password_field', slot: 'email', placeholder: { default: 'Email' } },
          { id: `${id}_p`, kind: 'email_password_field', slot: 'password', placeholder: { default: 'Password' } },
          { id: `${id}_c`, kind: 'email_password_field', slot: 'confirm', placeholder: { default: 'Repeat' } },
          {
            id: `${id}_s`,
            kind: 'email_password_submit',
            buttonVariant: 'primary',
            children: [text(`${id}_t`, 'Sign up')],
          },
        ],
      },
    ];
    const secret = 'Tr0ub4dor&3-secret';
    const received: string[] = [];
    const snapshots: unknown[] = [];
    const app = new TestApp(
      served([
        screen('scr_a', form('lyr_auth'), 'scr_b'),
        screen('scr_b', [button('lyr_end', { kind: 'continue' }, 'Done')]),
      ]),
    );
    await app.show(
      app.provider(
        <Flow
          channelId={CHANNEL}
          onEmailPasswordAuth={({ password, resolve }) => {
            received.push(password);
            resolve(received.length === 1 ? { success: false, error: 'taken' } : { success: true });
          }}
          onFlowCompleted={(snapshot) => snapshots.push(snapshot)}
          includeManifestInTerminalPayload
          includePathInTerminalPayload
          includeAnswerDetailInTerminalPayload
        />,
        { logLevel: 'debug', onEvent: (event) => snapshots.push(event), onError: (report) => snapshots.push(report) },
      ),
    );
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await act(async () => {
        fireEvent.changeText(shownScreen.getByPlaceholderText('Email'), 'ada@shop.example');
        fireEvent.changeText(shownScreen.getByPlaceholderText('Password'), secret);
        fireEvent.changeText(shownScreen.getByPlaceholderText('Repeat'), secret);
      });
      await tap('Sign up');
    }
    await tap('Done');
    await pass(10_000);
    expect(received).toEqual([secret, secret]);
    expect(snapshots.length).toBeGreaterThan(4);
    const stored = await AsyncStorage.multiGet(await AsyncStorage.getAllKeys());
    expect(stored.length).toBeGreaterThan(2);
    for (const trace of [snapshots, app.service.requests, stored, logged]) {
      const written = JSON.stringify(trace);
      expect(written).not.toContain(secret);
      expect(written).not.toContain(encodeURIComponent(secret));
    }
  });
});
