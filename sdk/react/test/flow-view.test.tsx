// @vitest-environment jsdom
import type { FlowManifest, FlowTerminalSnapshot, Layer } from '@svc/core';
import { act, useEffect } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  DEFAULT_RESOLVE_ERROR_TITLE,
  type ExternalSurfaceProps,
  Flow,
  type FlowProps,
  OAuthLoginProvider,
  useOAuthLogin,
} from '../src/index';
import { createTestService, SvcTestProvider, type TestService } from '../src/testing';
import { type Mounted, mountUi } from './support/dom';
import { button, exampleManifest, lastScreen, manifest, screen, served, text } from './support/manifests';

/** By then loading has been given up. */
const OUTAGE_MS = 10_000;
const CHANNEL = 'ch_test_main';

let mounted: Mounted | undefined;
let service: TestService;
const flowEvents = () =>
  service.events
    .filter((event) => event.path === 'flow' && event.name !== 'attribution_context_observed')
    .map((event) => event.name);

async function mountFlow(
  flow: FlowManifest | null,
  props: Partial<FlowProps> = {},
  { offline = false } = {},
): Promise<Mounted> {
  service = createTestService(flow ? { [CHANNEL]: served(flow) } : {});
  service.setOffline(offline);
  mounted = await mountUi(
    <SvcTestProvider service={service}>
      <Flow channelId={CHANNEL} {...props} />
    </SvcTestProvider>,
  );
  return mounted;
}

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(async () => {
  await mounted?.unmount();
  mounted = undefined;
  vi.useRealTimers();
});

describe('Flow', () => {
  it('shows screens as they are answered, and sends what happened after five seconds', async () => {
    const snapshots: FlowTerminalSnapshot[] = [];
    const choice = exampleManifest('branching-onboarding');
    const ui = await mountFlow(choice, {
      onFlowCompleted: (snapshot) => snapshots.push(snapshot),
      includePathInTerminalPayload: true,
    });
    expect(ui.box.querySelector('[data-screen]')?.getAttribute('data-screen')).toBe('scr_goal');
    await ui.click('[data-option="rescue"]');
    expect(ui.box.querySelector('[data-screen]')?.getAttribute('data-screen')).toBe('scr_symptoms');
    await ui.click('[data-option="yellow"]');
    await ui.click('[data-option="bugs"]');
    expect(flowEvents()).toEqual([]);
    await ui.pass(5_000);
    expect(flowEvents()).toEqual(['flow_started', 'step_viewed', 'choice_selected', 'step_completed', 'step_viewed']);
    expect(snapshots).toEqual([]);
  });

  it('ends once, with one terminal event, under StrictMode', async () => {
    const completed = vi.fn();
    const abandoned = vi.fn();
    const flow = manifest([screen('scr_a', [button('lyr_end', { kind: 'end_flow' })])]);
    const ui = await mountFlow(flow, { onFlowCompleted: completed, onFlowAbandoned: abandoned });
    await ui.click('[data-layer=lyr_end]');
    await ui.pass();
    expect(ui.box.textContent).toBe('');
    await ui.unmount();
    mounted = undefined;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(flowEvents()).toEqual(['flow_started', 'step_viewed', 'flow_completed']);
    expect(completed).toHaveBeenCalledTimes(1);
    expect(abandoned).not.toHaveBeenCalled();
  });

  it('records one abandoned run when everything goes at once, and none before', async () => {
    const abandoned = vi.fn();
    const ui = await mountFlow(manifest([lastScreen('scr_a')]), { onFlowAbandoned: abandoned });
    await ui.pass(5_000);
    expect(flowEvents()).toEqual(['flow_started', 'step_viewed']);
    await ui.unmount();
    mounted = undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(flowEvents()).toEqual(['flow_started', 'step_viewed', 'flow_abandoned']);
    expect(abandoned).not.toHaveBeenCalled();
  });

  it('answers a button once although the host listens to actions too', async () => {
    const actions: string[] = [];
    const flow = manifest([
      screen('scr_a', [button('lyr_jump', { kind: 'go_to_step', screenId: 'scr_b' })]),
      screen('scr_b', [text('lyr_b', 'second'), button('lyr_back', { kind: 'go_back_one_screen' })]),
    ]);
    const ui = await mountFlow(flow, { onAction: (action, meta) => actions.push(`${action.kind} ${meta.layerId}`) });
    await ui.click('[data-layer=lyr_jump]');
    expect(ui.text()).toContain('second');
    await ui.click('[data-layer=lyr_back]');
    expect(ui.box.querySelector('[data-screen]')?.getAttribute('data-screen')).toBe('scr_a');
    expect(actions).toEqual(['go_to_step lyr_jump', 'go_back_one_screen lyr_back']);
  });

  it('records a link that was opened', async () => {
    const link: Layer = {
      id: 'lyr_link',
      kind: 'hyperlink',
      href: 'https://example.com/terms',
      children: [text('lyr_link_t', 'Terms')],
    };
    const ui = await mountFlow(manifest([screen('scr_a', [link])]));
    ui.box.querySelector('a')?.addEventListener('click', (event) => event.preventDefault());
    await ui.click('a');
    await ui.pass(5_000);
    const opened = service.events.find((event) => event.name === 'external_link_opened');
    expect(opened).toMatchObject({ stepId: 'scr_a', properties: { layerId: 'lyr_link', linkHost: 'example.com' } });
  });
});

describe('a flow that cannot be loaded', () => {
  it('shows the default view, tries again and records nothing before', async () => {
    const ui = await mountFlow(null, {}, { offline: true });
    await ui.pass(OUTAGE_MS);
    expect(ui.text()).toContain(DEFAULT_RESOLVE_ERROR_TITLE);
    expect(ui.box.querySelector('[role=alert]')).not.toBeNull();
    service.setOffline(false);
    service.setFlow(CHANNEL, served(manifest([lastScreen('scr_a')])));
    await ui.click('button');
    await ui.pass();
    expect(ui.text()).toBe('at scr_a');
    await ui.pass(5_000);
    expect(flowEvents()).toEqual(['flow_started', 'step_viewed']);
  });

  it('speaks the words of the host, and offers to try again only where that can help', async () => {
    const copy = { loadFailed: 'Das hat nicht geklappt.', retry: 'Noch einmal' };
    let ui = await mountFlow(null, { copy }, { offline: true });
    await ui.pass(OUTAGE_MS);
    expect([ui.text(), ui.box.querySelector('button')?.textContent]).toEqual([
      expect.stringContaining(copy.loadFailed),
      copy.retry,
    ]);
    await ui.unmount();
    mounted = undefined;
    ui = await mountFlow(null, { copy });
    expect(ui.text()).toContain(copy.loadFailed);
    expect(ui.box.querySelector('button')).toBeNull();
  });

  it('shows what the host has instead', async () => {
    const ui = await mountFlow(null, {
      fallback: ({ error }) => <output>{(error as Error & { code?: string }).code}</output>,
    });
    expect(ui.text()).toBe('channel_not_found');
    await ui.unmount();
    mounted = undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(service.events.filter((event) => event.path === 'flow')).toEqual([]);
  });
});

describe('sign-in layers', () => {
  const oauth: Layer = {
    id: 'lyr_oa',
    kind: 'oauth_login',
    children: [{ id: 'lyr_google', kind: 'oauth_provider', variant: 'preset', provider: 'google' }],
  };
  const flow = manifest([screen('scr_a', [oauth], { next: { default: 'scr_b' } }), lastScreen('scr_b')]);

  it('go on when the host says so, whatever it says afterwards', async () => {
    const ui = await mountFlow(flow, {
      onOAuthLogin: ({ provider, resolve }) => {
        expect(provider).toEqual({ type: 'preset', provider: 'google' });
        resolve({ success: true, customerExternalId: 'g-1' });
        resolve({ success: false });
      },
    });
    await ui.click('[data-layer=lyr_google]');
    await ui.pass();
    expect(ui.text()).toBe('at scr_b');
  });

  it('fail without a handler, when it throws, and when it takes too long', async () => {
    let ui = await mountFlow(flow);
    await ui.click('[data-layer=lyr_google]');
    await ui.pass();
    expect(ui.text()).toContain('did not work');
    await ui.unmount();

    ui = await mountFlow(flow, { onOAuthLogin: () => Promise.reject(new Error('popup closed')) });
    await ui.click('[data-layer=lyr_google]');
    await ui.pass();
    expect(ui.text()).toContain('did not work');
    await ui.unmount();

    ui = await mountFlow(flow, { onOAuthLogin: () => undefined, authTimeoutMs: 2_000 });
    await ui.click('[data-layer=lyr_google]');
    expect(ui.box.querySelector('[data-layer=lyr_google]')).toHaveProperty('disabled', true);
    await ui.pass(2_000);
    expect(ui.text()).toContain('did not work');
    expect(ui.box.querySelector('[data-layer=lyr_google]')).toHaveProperty('disabled', false);
  });

  it('ask a handler attached further up', async () => {
    function Host() {
      const { attach, setAuthenticated, authenticated } = useOAuthLogin();
      useEffect(
        () =>
          attach(({ resolve }) => {
            setAuthenticated(true);
            resolve({ success: true });
          }),
        [attach, setAuthenticated],
      );
      return <output>{authenticated ? 'signed in' : 'signed out'}</output>;
    }
    service = createTestService({ [CHANNEL]: served(flow) });
    mounted = await mountUi(
      <SvcTestProvider service={service}>
        <OAuthLoginProvider>
          <Host />
          <Flow channelId={CHANNEL} />
        </OAuthLoginProvider>
      </SvcTestProvider>,
    );
    await mounted.click('[data-layer=lyr_google]');
    await mounted.pass();
    expect(mounted.text()).toBe('signed in | at scr_b');
  });

  it('hand the password to the handler and to nothing else', async () => {
    const secret = 'Tr0ub4dor-and-3';
    const seen: string[] = [];
    const snapshots: FlowTerminalSnapshot[] = [];
    const logged = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'debug'), vi.spyOn(console, 'log')];
    const all = exampleManifest('all-layers');
    const ui = await mountFlow(
      { ...all, entryScreenId: 'scr_al_mail' },
      {
        includeManifestInTerminalPayload: true,
        includePathInTerminalPayload: true,
        includeAnswerDetailInTerminalPayload: true,
        onFlowCompleted: (snapshot) => snapshots.push(snapshot),
        onEmailPasswordAuth: ({ email, password, resolve }) => {
          seen.push(email, password);
          resolve({ success: true });
        },
      },
    );
    await ui.type('input[type=email]', 'ana@example.com');
    await ui.type('[data-layer=lyr_al_ep_p] input', secret);
    await ui.type('[data-layer=lyr_al_ep_c] input', secret);
    await ui.click('[data-layer=lyr_al_ep_s]');
    await ui.pass();
    expect(seen).toEqual(['ana@example.com', secret]);
    await ui.click('[data-layer=lyr_al_rev]');
    await ui.click('[data-layer=lyr_al_end]');
    await ui.pass(10_000);
    expect(snapshots).toHaveLength(1);
    const kept = [
      JSON.stringify(snapshots),
      JSON.stringify(service.events),
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
      JSON.stringify(logged.map((spy) => spy.mock.calls)),
      ui.box.innerHTML,
    ];
    for (const text of kept) expect(text).not.toContain(secret);
  });
});

describe('external surfaces', () => {
  // What presents them is a part of its own, which comes in its own time.
  const presenting = () => act(() => import('../src/flow/on-demand'));

  const paywall = exampleManifest('paywall-flow');

  it('are the host’s components when they are headless', async () => {
    function Survey({ surfaceId, onComplete, onDismiss }: ExternalSurfaceProps) {
      return (
        <>
          <output>{surfaceId}</output>
          <button type="button" id="done" onClick={() => onComplete({ mood: 'good' })} />
          <button type="button" id="away" onClick={onDismiss as () => void} />
        </>
      );
    }
    const node = {
      id: 'surf_x',
      config: { provider: 'headless' as const, hostKey: 'survey' },
      outcomes: { completed: 'scr_b' },
      fallback: 'scr_c',
    };
    const flow = manifest([lastScreen('scr_b'), lastScreen('scr_c')], {
      entryScreenId: 'surf_x',
      externalSurfaceNodes: [node],
    });
    let ui = await mountFlow(flow, { externalSurfaces: { survey: Survey } });
    expect(ui.text()).toBe('surf_x');
    await ui.click('#done');
    expect(ui.text()).toBe('at scr_b');
    await ui.pass(5_000);
    expect(service.events.find((event) => event.name === 'surface_outcome')?.properties).toMatchObject({
      outcome: 'completed',
    });
    await ui.unmount();

    ui = await mountFlow(flow, { externalSurfaces: { survey: Survey } });
    await ui.click('#away');
    expect(ui.text()).toBe('at scr_c');
    await ui.unmount();

    ui = await mountFlow(flow);
    await presenting();
    expect(ui.text()).toBe('at scr_c');
  });

  it('fail on the web when nobody presents them, and follow the presenter when somebody does', async () => {
    const node = paywall.externalSurfaceNodes?.find(({ config }) => config.provider === 'revenuecat');
    if (!node) throw new Error('the example has no subscription paywall');
    const flow = { ...paywall, entryScreenId: node.id };
    let ui = await mountFlow(flow);
    await presenting();
    await ui.pass(5_000);
    expect(service.events.find((event) => event.name === 'surface_outcome')?.properties).toMatchObject({
      outcome: 'failed',
    });
    await ui.unmount();

    const present = vi
      .fn()
      .mockResolvedValue({ outcome: 'purchase_completed', sdkKeyPatch: { onb_rc_last_period_type: 'trial' } });
    ui = await mountFlow(flow, { externalSurfacePresenter: present });
    await ui.pass(5_000);
    expect(present).toHaveBeenCalledTimes(1);
    expect(service.events.find((event) => event.name === 'surface_outcome')?.properties).toMatchObject({
      outcome: 'purchase_completed',
    });
  });
});
