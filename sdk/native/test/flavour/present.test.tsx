import type { ExternalSurfaceNode, FlowTerminalSnapshot, ResolvedFlow, Screen } from '@svc/core';
import { act, fireEvent, screen as shown } from '@testing-library/react-native';
import {
  AccessibilityInfo,
  Linking,
  Modal,
  type ModalProps,
  Platform,
  StyleSheet,
  Text,
  type ViewStyle,
} from 'react-native';
import { SafeAreaInsetsContext } from 'react-native-safe-area-context';
import { FlowModal, type PresentFlowOptions, presentFlow, presentFlowLink, useFlowLinks } from 'svc-flavour';
import { pass, TestApp, tap, withFreshDevice } from '../support/app';
import { CHANNEL, screen, served, text, twoScreens } from '../support/flows';

// As iOS does, it draws what moves off the screen; the preset's stand-in does not.
jest.mock('react-native/Libraries/Modal/Modal', () => ({
  __esModule: true,
  default: ({ children }: ModalProps) => children,
}));

withFreshDevice();

type Ended = FlowTerminalSnapshot | null | 'open';

/** An app that presents a flow, and how that ended so far. */
async function presenting(options?: PresentFlowOptions, channelId = CHANNEL): Promise<() => Ended> {
  let ended: Ended = 'open';
  await act(async () => {
    void presentFlow(channelId, options).then((snapshot) => {
      ended = snapshot;
    });
  });
  await pass(0);
  return () => ended;
}

const onApp = async (flow = twoScreens()): Promise<TestApp> => {
  const app = new TestApp(flow);
  await app.show(app.provider(<Text>The app</Text>));
  return app;
};
/** The platform's modal while it is on the screen. */
const modal = () => shown.UNSAFE_queryAllByType(Modal).find(({ props }) => props.visible) ?? null;
// Screen readers don't see it: what stands beside a modal view is hidden from them.
const backdrop = () => shown.getByTestId('svc-backdrop', { includeHiddenElements: true });
const requestClose = async () => {
  await act(async () => void modal()?.props.onRequestClose());
  await pass(500);
};

it('comes over the app, and goes with the snapshot when the run is completed', async () => {
  const app = await onApp();
  const onFlowCompleted = jest.fn();
  const onPresented = jest.fn();
  const ended = await presenting({ onFlowCompleted, onPresented });
  expect(shown.getByText('The app')).toBeTruthy();
  expect(shown.getByText('Hello')).toBeTruthy();
  expect(onPresented).toHaveBeenCalledTimes(1);
  expect(ended()).toBe('open');
  await tap('Next');
  await tap('Next');
  await pass(500);
  expect(modal()).toBeNull();
  expect(ended()).toMatchObject({ terminal: 'completed' });
  expect(onFlowCompleted).toHaveBeenCalledWith(ended());
  await pass(5_000);
  expect(app.service.names('/sdk/events').at(-1)).toBe('flow_completed');
});

it('keeps what it showed while it moves off the screen, and tells when it is away', async () => {
  await onApp();
  const onFlowCompleted = jest.fn();
  const onClosed = jest.fn();
  const ended = await presenting({ onFlowCompleted, onClosed });
  await tap('Next');
  await act(async () => void fireEvent.press(shown.getByText('Next')));
  await act(async () => {
    await jest.advanceTimersByTimeAsync(1);
  });
  expect(onFlowCompleted).toHaveBeenCalledTimes(1);
  expect(modal()).toBeNull();
  expect(shown.getByText('Bye')).toBeTruthy();
  expect([ended(), onClosed.mock.calls]).toEqual(['open', []]);
  await pass(500);
  expect(onClosed.mock.calls).toEqual([[ended()]]);
  expect(shown.UNSAFE_queryByType(Modal)).toBeNull();
});

it('a call before there is a provider waits for it', async () => {
  const app = new TestApp(twoScreens());
  const ended = await presenting();
  await app.show(app.provider(<Text>The app</Text>));
  expect(shown.getByText('Hello')).toBeTruthy();
  await requestClose();
  expect(ended()).toMatchObject({ terminal: 'abandoned' });
});

it('two flows are presented one after the other', async () => {
  await onApp();
  const first = await presenting();
  const second = await presenting();
  expect(shown.UNSAFE_queryAllByType(Modal)).toHaveLength(1);
  await requestClose();
  expect([first(), second()]).toEqual([expect.objectContaining({ terminal: 'abandoned' }), 'open']);
  expect(shown.getByText('Hello')).toBeTruthy();
  await requestClose();
  expect(second()).toMatchObject({ terminal: 'abandoned' });
});

it('all end with the provider, those that wait too', async () => {
  const app = await onApp();
  const first = await presenting();
  const second = await presenting();
  await app.show(<Text>Signed out</Text>);
  await pass(100);
  expect([first(), second()]).toEqual([null, null]);
  await app.show(app.provider(<Text>The app</Text>));
  expect(modal()).toBeNull();
});

it('is a component as well', async () => {
  const app = new TestApp(twoScreens());
  const onClosed = jest.fn();
  await app.show(app.provider(<FlowModal channelId={CHANNEL} onClosed={onClosed} />), { strict: true });
  expect(shown.getByText('Hello')).toBeTruthy();
  await requestClose();
  expect(onClosed.mock.calls).toEqual([[expect.objectContaining({ terminal: 'abandoned' })]]);
});

describe('leaving', () => {
  it('ends the run once, as abandoned', async () => {
    const app = await onApp();
    const ended = await presenting();
    await requestClose();
    await pass(5_000);
    expect(ended()).toMatchObject({ terminal: 'abandoned' });
    expect(app.service.names('/sdk/events').filter((name) => name === 'flow_abandoned')).toHaveLength(1);
  });

  it('is not possible where the host forbids it', async () => {
    await onApp();
    const ended = await presenting({ dismissible: false, presentation: 'sheet', label: 'Offer' });
    expect(modal()?.props.allowSwipeDismissal).toBe(false);
    await requestClose();
    await act(async () => void fireEvent.press(backdrop()));
    await act(async () => shown.getByLabelText('Offer').props.onAccessibilityEscape());
    await pass(500);
    expect([ended(), modal() !== null]).toEqual(['open', true]);
    await tap('Next');
    await tap('Next');
    await pass(500);
    expect(ended()).toMatchObject({ terminal: 'completed' });
  });

  it("goes back a screen first with Android's button, and leaves at once with the swipe of iOS", async () => {
    const system = jest.replaceProperty(Platform, 'OS', 'android' as never);
    await onApp();
    let ended = await presenting();
    await tap('Next');
    await requestClose();
    expect(shown.getByText('Hello')).toBeTruthy();
    expect(ended()).toBe('open');
    await requestClose();
    expect(ended()).toMatchObject({ terminal: 'abandoned' });
    await pass(500);
    system.replaceValue('ios' as never);
    ended = await presenting();
    await tap('Next');
    await requestClose();
    expect(ended()).toMatchObject({ terminal: 'abandoned' });
  });

  it('by a tap beside a sheet and by the escape of screen readers', async () => {
    await onApp();
    let ended = await presenting({ presentation: 'sheet' });
    expect(modal()?.props).toMatchObject({ transparent: true });
    await act(async () => void fireEvent.press(backdrop()));
    await pass(500);
    expect(ended()).toMatchObject({ terminal: 'abandoned' });
    await pass(500);
    ended = await presenting({ presentation: 'sheet', label: 'Offer' });
    const dialog = shown.getByLabelText('Offer');
    expect(dialog.props).toMatchObject({ accessibilityViewIsModal: true, role: 'dialog' });
    await act(async () => dialog.props.onAccessibilityEscape());
    await pass(500);
    expect(ended()).toMatchObject({ terminal: 'abandoned' });
  });
});

it('a flow that cannot be loaded can be left', async () => {
  const app = await onApp();
  app.service.down = true;
  const ended = await presenting({ presentation: 'full-screen', copy: { close: 'Schließen' } });
  await pass(10_000);
  expect(shown.getByText('Try again')).toBeTruthy();
  await tap('Schließen');
  await pass(500);
  expect([ended(), modal()]).toEqual([null, null]);
});

it('a flow that is not there is skipped', async () => {
  const app = await onApp();
  const { fetch } = app.service;
  app.service.fetch = async (url, init) => {
    const answer = await fetch(url, init);
    return url.endsWith('/resolve')
      ? { ...answer, status: 404, text: async () => '{"code":"channel_not_found"}' }
      : answer;
  };
  const onSkipped = jest.fn();
  const ended = await presenting({ onSkipped });
  await pass(500);
  expect([ended(), modal()]).toEqual([null, null]);
  expect(onSkipped).toHaveBeenCalledWith('channel_not_found');
});

it('keeps clear of the status bar only where it lies under it', async () => {
  const safe = { ...screen('scr_a', [text('lyr_t', 'Hello')]), containerStyle: { insetSafeArea: true } };
  const app = new TestApp(served([safe]));
  const insets = { top: 50, bottom: 30, left: 0, right: 0 };
  await app.show(
    <SafeAreaInsetsContext.Provider value={insets}>
      {app.provider(<Text>The app</Text>)}
    </SafeAreaInsetsContext.Provider>,
  );
  const paddings = () => {
    const styles = shown.UNSAFE_root.findAll((node) => typeof node.type === 'string').map(
      (node) => StyleSheet.flatten(node.props.style) as ViewStyle | undefined,
    );
    return styles.flatMap((style) => (style?.paddingBottom === 30 ? [style.paddingTop] : []));
  };
  for (const [presentation, top] of [
    ['modal', 0],
    ['sheet', 0],
    ['full-screen', 50],
  ] as const) {
    await presenting({ presentation, dismissible: true });
    expect([presentation, paddings()]).toEqual([presentation, [top]]);
    await requestClose();
    await pass(500);
  }
});

it('takes the screen reader along', async () => {
  const send = jest.spyOn(AccessibilityInfo, 'sendAccessibilityEvent').mockImplementation(() => undefined);
  await onApp();
  await presenting();
  await act(async () => void modal()?.props.onShow());
  expect(send).toHaveBeenCalledWith(expect.anything(), 'focus');
  await requestClose();
});

describe('links', () => {
  it.each([
    ['shop://open?svc.channel=ch_test_main', true],
    ['https://shop.example/a?x=1&svc.channel=ch_test_main#top', true],
    ['shop://open?svc.channel=', false],
    ['shop://open?svc.channel=a%20b', false],
    ['shop://open?svc.channel=%E0%A4%A', false],
    ['shop://open?channel=ch_test_main', false],
    ['shop://open#?svc.channel=ch_test_main', false],
  ])('%s presents: %s', async (href, presents) => {
    await onApp();
    const ended = jest.fn();
    await act(async () => void presentFlowLink(href).then(ended));
    await pass(0);
    expect(modal() !== null).toBe(presents);
    expect(ended.mock.calls).toEqual(presents ? [] : [[null]]);
    await requestClose();
  });

  it('that open the app or reach it are presented, the one that opened it once', async () => {
    let listener: (event: { url: string }) => void = () => undefined;
    const remove = jest.fn();
    jest.spyOn(Linking, 'getInitialURL').mockResolvedValue(`shop://?svc.channel=${CHANNEL}`);
    jest.spyOn(Linking, 'addEventListener').mockImplementation((_, take) => {
      listener = take as typeof listener;
      return { remove } as never;
    });
    const Links = () => {
      useFlowLinks({ label: 'From a link' });
      return null;
    };
    const app = new TestApp(twoScreens());
    await app.show(app.provider(<Links />), { strict: true });
    await pass(0);
    expect(shown.getByLabelText('From a link')).toBeTruthy();
    await requestClose();
    expect(modal()).toBeNull();
    await act(async () => listener({ url: 'shop://settings' }));
    await pass(0);
    expect(modal()).toBeNull();
    await act(async () => listener({ url: `shop://?svc.channel=${CHANNEL}` }));
    await pass(0);
    expect(modal()).not.toBeNull();
    await requestClose();
    await app.show(app.provider(<Text>Elsewhere</Text>));
    expect(remove).toHaveBeenCalledTimes(2);
    await app.show(app.provider(<Links />));
    await pass(0);
    expect(modal()).toBeNull();
  });

  describe('to a preview', () => {
    const LINK = 'shop://open?svc.preview=tok_en-1';
    const selling = (): ResolvedFlow => {
      const flow = twoScreens();
      const surface: ExternalSurfaceNode = {
        id: 'surf_pay',
        name: 'Paywall',
        config: { provider: 'revenuecat' },
        outcomes: {},
        fallback: 'scr_b',
      };
      const [first, last] = flow.manifest.screens;
      const screens = [{ ...(first as Screen), next: { default: 'surf_pay' } }, last as Screen];
      return { ...flow, manifest: { ...flow.manifest, screens, externalSurfaceNodes: [surface] } };
    };

    /** An app whose service answers previews with this. */
    const previewing = async (status: number, body: unknown): Promise<TestApp> => {
      const app = await onApp();
      const { fetch } = app.service;
      app.service.fetch = async (url, init) => {
        const answer = await fetch(url, init);
        return url.endsWith('/preview') ? { ...answer, status, text: async () => JSON.stringify(body) } : answer;
      };
      return app;
    };

    it('shows it with a badge, sells nothing and records nothing', async () => {
      const app = await previewing(200, selling());
      const ended = jest.fn();
      const onFlowCompleted = jest.fn();
      await act(async () => void presentFlowLink(LINK, { onFlowCompleted, locale: 'de' }).then(ended));
      await pass(0);
      expect(app.service.requests.find(({ path }) => path.endsWith('/preview'))?.body).toEqual({ token: 'tok_en-1' });
      expect(shown.getByText('Vorschau')).toBeTruthy();
      await tap('Next');
      expect(shown.getByText(/Paywall/)).toBeTruthy();
      await tap('Kauf abgeschlossen');
      expect(shown.getByText('Bye')).toBeTruthy();
      await tap('Next');
      await pass(10_000);
      expect([ended.mock.calls, onFlowCompleted.mock.calls]).toEqual([[[null]], []]);
      expect(app.service.names('/sdk/events')).toEqual([]);
    });

    it('says why there is none, and can be left', async () => {
      await previewing(410, { code: 'preview_expired' });
      const ended = jest.fn();
      await act(async () => void presentFlowLink(LINK).then(ended));
      await pass(0);
      expect(shown.getByText(/This preview cannot be shown/)).toBeTruthy();
      expect(ended).not.toHaveBeenCalled();
      await tap('Close');
      await pass(500);
      expect(ended.mock.calls).toEqual([[null]]);
    });
  });
});
