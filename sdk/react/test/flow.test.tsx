// @vitest-environment jsdom
import type { FlowManifest, Layer, ResolvedFlow } from '@svc/core';
import { act, type ReactNode } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  DEFAULT_RESOLVE_ERROR_RETRY_LABEL,
  type ExternalSurfaceProps,
  Flow,
  type FlowProps,
  SvcProvider,
} from '../src/index';
import { FakeService, twoScreens } from './support/service';

const CHANNEL = 'ch_test_main';
let service: FakeService;
let box: HTMLElement;
let root: Root;

const goOn: Layer = {
  id: 'lyr_go',
  kind: 'button',
  variant: 'primary',
  action: { kind: 'continue' },
  children: [{ id: 'lyr_go_t', kind: 'text', text: { default: 'Next', translations: { de: 'Weiter' } } }],
};

/** Two screens with a button, and more layers on the first. */
function flowWith(layers: Layer[] = [], extra: Partial<FlowManifest> = {}): ResolvedFlow {
  const flow = twoScreens();
  flow.manifest.screens[0]!.regions.body.children.push(...layers, goOn);
  Object.assign(flow.manifest, extra);
  return flow;
}

function app(props: Partial<FlowProps> = {}, config: object = {}): ReactNode {
  return (
    <SvcProvider
      config={{
        publishableKey: 'ob_pk_test_k',
        apiBaseUrl: 'http://localhost:4000',
        userId: 'ada',
        analytics: { consent: 'granted' },
        fetcher: service.fetch,
        ...config,
      }}
    >
      <Flow channelId={CHANNEL} {...props} />
    </SvcProvider>
  );
}

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const show = (node: ReactNode) => act(async () => root.render(node));
const button = (label: string) =>
  [...box.querySelectorAll('button')].find((candidate) => candidate.textContent === label);
const tap = (label: string) => act(async () => button(label)!.click());

beforeEach(() => {
  vi.useFakeTimers();
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  localStorage.clear();
  sessionStorage.clear();
  window.history.replaceState(null, '', '/start');
  service = new FakeService(flowWith());
  box = document.createElement('div');
  document.body.append(box);
  root = createRoot(box);
});

afterEach(async () => {
  await act(async () => root.unmount());
  await pass(10);
  box.remove();
  vi.useRealTimers();
});

describe('Flow', () => {
  it('draws the screens of a channel in the wanted locale until the end, then nothing', async () => {
    const completed = vi.fn();
    await show(app({ onFlowCompleted: completed, locale: 'de_AT' }));
    expect(box.textContent).toContain('Hello (de)');
    await tap('Weiter');
    expect(box.textContent).toContain('Bye (de)');
    expect(completed).not.toHaveBeenCalled();
    await pass(5_000);
    expect(service.names('/sdk/events')).toEqual([
      'flow_started',
      'attribution_context_observed',
      'step_viewed',
      'step_completed',
      'step_viewed',
    ]);
  });

  it('shows a way to try again when nothing can be served, or what the host gives', async () => {
    service.down = true;
    await show(app());
    expect(box.querySelector('[role=status]')).not.toBeNull();
    await pass(11_000);
    expect(box.querySelector('[role=alert]')).not.toBeNull();
    service.down = false;
    await tap(DEFAULT_RESOLVE_ERROR_RETRY_LABEL);
    expect(box.textContent).toContain('Hello');
    service.down = true;
    await show(app({ channelId: 'ch_test_other', fallback: <p>Call us</p> }));
    await pass(11_000);
    expect(box.textContent).toBe('Call us');
  });

  it('is in the HTML of a server, and hydrates without an error', async () => {
    const initialData = flowWith();
    const html = renderToString(app({ initialData }));
    expect(html).toContain('Hello');
    await act(async () => root.unmount());
    box.innerHTML = html;
    const errors: unknown[] = [];
    root = await act(async () =>
      hydrateRoot(box, app({ initialData }), { onRecoverableError: (error) => errors.push(error) }),
    );
    expect(errors).toEqual([]);
    await tap('Next');
    expect(box.textContent).toContain('Bye');
  });

  it('counts one end when the last answer takes the flow off the page', async () => {
    service.flow = flowWith();
    service.flow.manifest.screens[0]!.next.default = null;
    await show(app({ onFlowCompleted: () => root.render(null) }));
    await tap('Next');
    await pass(100);
    expect(service.names('/sdk/events').filter((name) => /_(completed|abandoned)$/.test(name))).toEqual([
      'flow_completed',
    ]);
    expect(box.textContent).toBe('');
  });
});

describe('external surfaces', () => {
  const surface = (config: object, outcomes = {}): Partial<FlowManifest> => ({
    externalSurfaceNodes: [{ id: 'surf_x', config: config as never, outcomes, fallback: 'scr_b' }],
  });
  const leadTo = (extra: Partial<FlowManifest>) => {
    service.flow = flowWith([], extra);
    service.flow.manifest.screens[0]!.next.default = 'surf_x';
  };
  const lastOutcome = () =>
    service.requests
      .flatMap(
        (request) => (request.body as { events?: { name: string; properties?: { outcome?: string } }[] })?.events ?? [],
      )
      .filter((event) => event.name === 'surface_outcome')
      .at(-1)?.properties?.outcome;

  it('of the host are drawn by its component, whose first call counts', async () => {
    leadTo(surface({ provider: 'headless', hostKey: 'survey' }, { dismissed: 'scr_a' }));
    const Survey = ({ surfaceId, onComplete, onDismiss }: ExternalSurfaceProps) => (
      <button
        type="button"
        onClick={() => {
          onDismiss();
          onComplete();
        }}
      >
        {surfaceId}
      </button>
    );
    await show(app({ externalSurfaces: { survey: Survey } }));
    await tap('Next');
    await tap('surf_x');
    expect(box.textContent).toContain('Hello');
    await pass(5_000);
    expect(lastOutcome()).toBe('dismissed');
  });

  it.each([
    { provider: 'headless' },
    { provider: 'revenuecat' },
    { provider: 'superwall' },
    { provider: 'unspecified' },
  ])('that the web cannot present fail: %j', async (config) => {
    leadTo(surface(config));
    await show(app());
    await tap('Next');
    // What presents is a part of its own, which comes in its own time.
    await act(() => import('../src/flow/on-demand'));
    await pass(1);
    expect(box.textContent).toContain('Bye');
    await pass(5_000);
    expect(lastOutcome()).toBe('failed');
  });

  it('without a usable payment link fail, and leave no run behind', async () => {
    leadTo(surface({ provider: 'stripe' }));
    await show(app());
    await tap('Next');
    // What pays is a part of its own, which comes in its own time.
    await act(() => import('../src/flow/on-demand'));
    await pass(1);
    expect(box.textContent).toContain('Bye');
    expect(sessionStorage.getItem('svc_stripe_checkout_resume_v1')).toBeNull();
  });

  it('of a payment take the run up on the return page, ask the attempt, and clean up', async () => {
    leadTo(
      surface({ provider: 'stripe', paymentLinkUrl: 'https://buy.stripe.com/test' }, { purchase_completed: 'scr_b' }),
    );
    await show(app());
    await pass(5_000);
    const { manifest, ...flow } = service.flow;
    const state = {
      currentScreenId: null,
      pendingExternalSurface: { nodeId: 'surf_x' },
      history: ['scr_a', 'surf_x'],
      responses: {},
      session: { locale: 'en', platform: 'web', sdkAttributes: {}, surfaceKeys: {} },
      status: 'running',
      startedAt: 'T',
      completedAt: null,
    };
    await show(null);
    await pass(10);
    const kept = {
      version: 2,
      attemptId: 'a1',
      channelId: CHANNEL,
      surfaceId: 'surf_x',
      appUserId: 'ada',
      flow: { ...flow, manifest },
      state,
      place: { runId: 'c0000000-0000-4000-8000-000000000001', nextSeq: 7, stepId: 'surf_x' },
    };
    sessionStorage.setItem('svc_stripe_checkout_resume_v1', JSON.stringify(kept));
    window.history.replaceState(null, '', '/back?x=1&svc_stripe_status=success&svc_stripe_resume=a1');
    const before = {
      resolves: service.count('/resolve'),
      starts: service.names('/sdk/events').filter((name) => name === 'flow_started').length,
    };
    service.attempt = ['pending', 'confirmed'];
    await show(app());
    await pass(2_000);
    expect(box.textContent).toContain('Bye');
    await pass(5_000);
    expect(lastOutcome()).toBe('purchase_completed');
    expect(service.count('/resolve')).toBe(before.resolves);
    const { runId } = kept.place;
    const sent = service.requests.flatMap((request) => (request.body as { events?: object[] })?.events ?? []);
    expect(sent.filter((event) => 'runId' in event && event.runId === runId)).toMatchObject([
      { name: 'surface_outcome', seq: 7 },
      { name: 'step_viewed', seq: 8, fromStepId: 'surf_x' },
    ]);
    expect(service.names('/sdk/events').filter((name) => name === 'flow_started')).toHaveLength(before.starts);
    expect([
      window.location.pathname + window.location.search,
      sessionStorage.getItem('svc_stripe_checkout_resume_v1'),
    ]).toEqual(['/back?x=1', null]);
  });
});

it('never lets a typed password out of the handler', async () => {
  const secret = 'Correct-Horse-7';
  const field = (slot: 'email' | 'password' | 'confirm'): Layer => ({
    id: `lyr_${slot}`,
    kind: 'email_password_field',
    slot,
  });
  service.flow = flowWith();
  service.flow.manifest.screens[0]!.regions.body.children = [
    {
      id: 'lyr_auth',
      kind: 'email_password_auth',
      mode: 'sign_up',
      fieldKey: 'login',
      children: [
        field('email'),
        field('password'),
        field('confirm'),
        {
          id: 'lyr_submit',
          kind: 'email_password_submit',
          buttonVariant: 'primary',
          children: [{ id: 'lyr_s_t', kind: 'text', text: { default: 'Sign up' } }],
        },
      ],
    },
  ];
  const logged: unknown[] = [];
  const spies = (['log', 'warn', 'error', 'debug', 'info'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...parts) => void logged.push(...parts)),
  );
  const seen: string[] = [];
  const ended = vi.fn();
  const all = {
    includeManifestInTerminalPayload: true,
    includePathInTerminalPayload: true,
    includeAnswerDetailInTerminalPayload: true,
  };
  const node = (onEmailPasswordAuth: FlowProps['onEmailPasswordAuth']) =>
    app({
      ...all,
      onFlowAbandoned: ended,
      onFlowCompleted: ended,
      ...(onEmailPasswordAuth ? { onEmailPasswordAuth } : {}),
    });
  await show(
    node(({ password, resolve }) => {
      seen.push(password);
      resolve({ success: true });
    }),
  );
  const inputs = [...box.querySelectorAll('input')];
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
  for (const [i, value] of ['a@b.co', secret, secret].entries()) {
    await act(async () => {
      set.call(inputs[i], value);
      inputs[i]!.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
  await tap('Sign up');
  expect(seen).toEqual([secret]);
  expect(box.textContent).toContain('Bye');
  await pass(5_000);
  const stores = [localStorage, sessionStorage].flatMap((store) => Object.keys(store).map((key) => store.getItem(key)));
  const left = JSON.stringify([service.requests, stores, logged, ended.mock.calls]);
  expect(left).not.toContain(secret);
  for (const spy of spies) spy.mockRestore();
});
