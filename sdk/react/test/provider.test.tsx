// @vitest-environment jsdom

import { rememberConsent } from '@svc/react-core';
import { act, StrictMode, useEffect } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  logEvent,
  reset,
  SvcProvider,
  type SvcProviderProps,
  setAnalyticsConsent,
  setUserId,
  type UseFlowResult,
  useFlow,
  useSvcCustomUserId,
} from '../src/index';
import { FakeService, twoScreens } from './support/service';

const CHANNEL = 'ch_test_main';
let service: FakeService;
let root: Root;
let shown: UseFlowResult | null;
const abandoned = vi.fn();
const completed = vi.fn();

function ShowFlow() {
  shown = useFlow({ channelId: CHANNEL, onFlowAbandoned: abandoned, onFlowCompleted: completed });
  return <p>{shown.screen?.id ?? (shown.loading ? 'loading' : 'nothing')}</p>;
}

function App({
  children,
  config,
  ...rest
}: Omit<Partial<SvcProviderProps>, 'config'> & { config?: Partial<SvcProviderProps['config']> }) {
  return (
    <SvcProvider
      config={{
        publishableKey: 'ob_pk_test_k',
        apiBaseUrl: 'http://localhost:4000',
        analytics: { consent: 'granted' },
        fetcher: (url, init) => service.fetch(url, init),
        ...config,
      }}
      {...rest}
    >
      {children}
    </SvcProvider>
  );
}

/** Runs timers and promises for this long. */
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const show = (node: React.ReactNode) => act(async () => root.render(node));

beforeEach(() => {
  vi.useFakeTimers();
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  localStorage.clear();
  sessionStorage.clear();
  window.history.replaceState(null, '', '/start');
  rememberConsent(undefined);
  abandoned.mockClear();
  completed.mockClear();
  service = new FakeService(twoScreens());
  shown = null;
  root = createRoot(document.createElement('div'));
});

afterEach(async () => {
  await act(async () => root.unmount());
  await pass(10);
  vi.useRealTimers();
});

describe('page views', () => {
  it('are recorded for the first page and for push, replace and popstate, once each', async () => {
    await show(<App />);
    window.history.pushState(null, '', '/a');
    window.history.replaceState(null, '', '/a?x=1');
    window.history.replaceState(null, '', '/b');
    window.history.pushState(null, '', '#/route');
    await pass(5_000);
    expect(service.names('/analytics/events')).toEqual([
      'session_start',
      'first_visit',
      'page_view',
      'page_view',
      'page_view',
      'page_view',
    ]);
    expect(service.stored.map((event) => event.screenName).filter(Boolean)).toEqual(['/start', '/a', '/b', '/route']);
    window.dispatchEvent(new PopStateEvent('popstate'));
    await pass(5_000);
    expect(service.stored).toHaveLength(6);
  });

  it('leave the history as it was when the provider goes', async () => {
    const before = window.history.pushState;
    await show(<App />);
    expect(window.history.pushState).not.toBe(before);
    await show(null);
    expect(window.history.pushState).toBe(before);
  });
});

describe('early calls', () => {
  it("of a child's effect in the provider's own commit are stored once", async () => {
    function Child() {
      useEffect(() => logEvent('early', { n: 1 }), []);
      return null;
    }
    await show(
      <App>
        <Child />
      </App>,
    );
    await pass(5_000);
    expect(service.names('/analytics/events')).toEqual(['session_start', 'first_visit', 'early', 'page_view']);
  });

  it('of consent before the provider are kept and win over the config', async () => {
    setAnalyticsConsent('denied');
    logEvent('dropped');
    await show(<App />);
    await pass(5_000);
    expect([service.count('/analytics/events'), localStorage.length]).toEqual([0, 0]);
    setAnalyticsConsent('granted');
    logEvent('kept');
    await pass(5_000);
    expect(service.names('/analytics/events')).toEqual(['session_start', 'first_visit', 'kept']);
  });

  it('set and take away the custom user id', async () => {
    await show(<App />);
    setUserId('user-9');
    logEvent('a');
    setUserId(null);
    logEvent('b');
    const before = localStorage.getItem('svc_app_user_id');
    reset();
    logEvent('c');
    await pass(5_000);
    const ids = service.stored.slice(3).map((event) => [event.name, event.identity.customUserId]);
    expect(ids).toEqual([
      ['a', 'user-9'],
      ['b', undefined],
      ['session_start', undefined],
      ['first_visit', undefined],
      ['c', undefined],
    ]);
    expect(service.stored.at(-1)?.identity.appUserId).not.toBe(before);
  });
});

describe('consent', () => {
  it('pending writes nothing and sends no product event, denied clears what is there', async () => {
    localStorage.setItem('svc_app_user_id', 'from-before');
    await show(
      <App config={{ analytics: undefined }}>
        <ShowFlow />
      </App>,
    );
    logEvent('a');
    await pass(10_000);
    expect([service.count('/analytics/events'), localStorage.length, sessionStorage.length]).toEqual([0, 1, 0]);
    expect(shown?.screen?.id).toBe('scr_a');
    setAnalyticsConsent('denied');
    expect(localStorage.length).toBe(0);
  });

  it('pending neither reads nor writes a key of ours in either store', async () => {
    const touched: string[] = [];
    /** Every call on a store goes through here. */
    const watched = (store: Storage): Storage =>
      new Proxy(store, {
        get: (target, name) => {
          const member = Reflect.get(target, name) as unknown;
          if (typeof member !== 'function') return member;
          return (...parts: unknown[]) => {
            touched.push(`${String(name)} ${parts[0] ?? ''}`.trim());
            return (member as (...given: unknown[]) => unknown).apply(target, parts);
          };
        },
      });
    const stores = { localStorage: watched(localStorage), sessionStorage: watched(sessionStorage) };
    for (const [name, store] of Object.entries(stores)) {
      vi.spyOn(window, name as 'localStorage', 'get').mockReturnValue(store);
    }
    localStorage.setItem('svc_app_user_id', 'from-before');
    expect(touched.splice(0)).toEqual(['setItem svc_app_user_id']);
    await show(
      <App config={{ analytics: undefined }}>
        <ShowFlow />
      </App>,
    );
    logEvent('a');
    await act(async () => void shown?.respond({ kind: 'cta', action: 'primary' }));
    window.history.pushState(null, '', '/next');
    window.dispatchEvent(new Event('pagehide'));
    await pass(60_000);
    expect(service.names('/sdk/events')).toContain('step_viewed');
    // A run that waits for a payment is not of the keys that consent is about (interface.md §2.9).
    const ours = touched.filter((call) => / svc[_:]/.test(call) && call !== 'getItem svc_stripe_checkout_resume_v1');
    expect(ours).toEqual([]);
    expect(service.count('/analytics/events')).toBe(0);
    setAnalyticsConsent('granted');
    expect(touched).toContain('getItem svc_app_user_id');
    vi.restoreAllMocks();
  });

  it('is never kept: after a reload nothing is sent or changed until the host says so again', async () => {
    await show(
      <App>
        <ShowFlow />
      </App>,
    );
    logEvent('a');
    await pass(10_000);
    expect(service.count('/analytics/events')).toBeGreaterThan(0);
    await act(async () => root.unmount());
    await pass(10_000);
    const bytes = () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
    const before = bytes();
    expect(before).toContain('svc_app_user_id');

    // A page that is loaded anew remembers no call.
    rememberConsent(undefined);
    service = new FakeService(twoScreens());
    root = createRoot(document.createElement('div'));
    await show(
      <App config={{ analytics: undefined }}>
        <ShowFlow />
      </App>,
    );
    logEvent('b');
    await pass(60_000);
    expect(shown?.screen?.id).toBe('scr_a');
    expect([service.count('/analytics/events'), bytes()]).toEqual([0, before]);
  });
});

describe('flows', () => {
  it('load, run to their end and tell the host', async () => {
    await show(
      <App>
        <ShowFlow />
      </App>,
    );
    expect(shown).toMatchObject({ loading: false, screen: { id: 'scr_a' }, resolveFailed: false });
    expect(shown?.interpolationContext.canGoBack).toBe(false);
    await act(async () => void shown?.respond({ kind: 'cta', action: 'primary' }));
    expect(shown?.screen?.id).toBe('scr_b');
    expect(shown?.interpolationContext.canGoBack).toBe(true);
    await act(async () => void shown?.respond({ kind: 'cta', action: 'primary' }));
    await pass(1);
    expect(completed).toHaveBeenCalledTimes(1);
    expect(completed.mock.calls[0]?.[0]).toMatchObject({ terminal: 'completed', correlation: { channelId: CHANNEL } });
    expect(service.names('/sdk/events').at(-1)).toBe('flow_completed');
    await show(null);
    await pass(10);
    expect(service.names('/sdk/events').filter((name) => /completed$|abandoned$/.test(name))).toEqual([
      'step_completed',
      'flow_completed',
    ]);
    expect(abandoned).not.toHaveBeenCalled();
  });

  it('survive StrictMode: one start, one resolve, nothing abandoned', async () => {
    await show(
      <StrictMode>
        <App>
          <ShowFlow />
        </App>
      </StrictMode>,
    );
    await pass(5_000);
    expect(service.names('/sdk/events').filter((name) => name === 'flow_started')).toHaveLength(1);
    expect(service.names('/sdk/events')).not.toContain('flow_abandoned');
    expect(service.count('/resolve')).toBe(1);
    expect(service.names('/analytics/events')).toEqual(['session_start', 'first_visit', 'page_view']);
  });

  it.each([
    ['the root', (): Promise<void> => act(async () => root.unmount())],
    ['flow and provider together', (): Promise<void> => show(null)],
  ])('are stored as abandoned once when %s goes', async (_, remove) => {
    await show(
      <App>
        <ShowFlow />
      </App>,
    );
    await remove();
    await pass(100);
    expect(service.names('/sdk/events').filter((name) => name === 'flow_abandoned')).toHaveLength(1);
    expect(abandoned).not.toHaveBeenCalled();
    root = createRoot(document.createElement('div'));
  });

  it('are abandoned once by abandon() and a removal after it', async () => {
    await show(
      <App>
        <ShowFlow />
      </App>,
    );
    await act(async () => shown?.abandon());
    await show(null);
    await pass(100);
    expect(service.names('/sdk/events').filter((name) => name === 'flow_abandoned')).toHaveLength(1);
    expect(abandoned).toHaveBeenCalledTimes(1);
  });

  it('are not ended by hiding the tab, which sends what waits', async () => {
    await show(
      <App>
        <ShowFlow />
      </App>,
    );
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    await pass(0);
    expect(service.stored.every((event) => event.keepalive)).toBe(true);
    expect(service.names('/sdk/events')).toContain('step_viewed');
    Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    await pass(10_000);
    expect(service.names('/sdk/events')).not.toContain('flow_abandoned');
  });

  it('resolve once and stay in one session over fifty renders with fresh literals', async () => {
    for (let i = 0; i < 50; i += 1) {
      await show(
        <App config={{ sdkAttributes: { plan: 'a' } }} prefetch={[CHANNEL]}>
          <ShowFlow />
        </App>,
      );
    }
    await pass(5_000);
    expect(service.count('/resolve')).toBe(1);
    expect(service.names('/analytics/events').filter((name) => name === 'session_start')).toHaveLength(1);
    expect(service.names('/sdk/events').filter((name) => name === 'flow_started')).toHaveLength(1);
  });

  it('belong to one person: a switch offline shows no flow of the former', async () => {
    await show(<App config={{ userId: 'ada' }} prefetch={[CHANNEL]} />);
    await pass(100);
    service.down = true;
    await show(
      <App config={{ userId: 'bob' }}>
        <ShowFlow />
      </App>,
    );
    await pass(11_000);
    expect(shown).toMatchObject({ resolveFailed: true, screen: null });
    service.down = false;
    await act(async () => shown?.retry());
    expect(shown?.screen?.id).toBe('scr_a');
    await pass(5_000);
    expect(
      service.stored.filter((event) => event.path.endsWith('/sdk/events')).map((event) => event.identity.appUserId),
    ).not.toContain('ada');
  });

  it('take a new custom user id along', async () => {
    let set: (id?: string | null) => void = () => undefined;
    function Sign() {
      const { customUserId, setCustomUserId } = useSvcCustomUserId();
      set = setCustomUserId;
      return <i>{customUserId}</i>;
    }
    await show(
      <App>
        <ShowFlow />
        <Sign />
      </App>,
    );
    await act(async () => set('c1'));
    await act(async () => void shown?.respond({ kind: 'cta', action: 'primary' }));
    await pass(5_000);
    const custom = service.stored
      .filter((event) => event.path.endsWith('/sdk/events'))
      .map((event) => event.identity.customUserId);
    expect(custom.slice(0, 2)).toEqual([undefined, undefined]);
    expect(custom.at(-1)).toBe('c1');
    expect(service.names('/sdk/events').filter((name) => name === 'flow_started')).toHaveLength(1);
  });
});

it('throws without a key, and names the field', async () => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await expect(show(<App config={{ publishableKey: '' }} />)).rejects.toThrow('publishableKey');
  quiet.mockRestore();
});
