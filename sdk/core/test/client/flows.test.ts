import { describe, expect, it } from 'vitest';
import type { SessionAttribution } from '../../src/analytics/session-attribution';
import { type AttributionAttributes, FlowController, SvcNetworkError } from '../../src/index';
import { manifest, screen } from '../support/builders';
import { CHANNEL, createClient, friendly } from '../support/client';
import { FakePlatform, type Reply, settle } from '../support/fake-platform';
import { flowAnswer } from '../support/flow-answer';

const granted = { analytics: { consent: 'granted' as const } };

describe('flow runs', () => {
  function mountFlow(set: ReturnType<typeof createClient>, options: object = {}) {
    const controller = new FlowController(set.client, set.platform, { channelId: CHANNEL, ...options });
    controller.mount();
    return controller;
  }

  it('load, start once and send their terminal event at once', async () => {
    const set = createClient();
    const completed: string[] = [];
    const controller = mountFlow(set, { onFlowCompleted: () => completed.push('completed') });
    expect(controller.getView().status).toBe('loading');
    await settle();
    expect(controller.getView().state?.currentScreenId).toBe('scr_a');
    controller.respond({ kind: 'cta', action: 'primary' });
    await settle();
    expect(set.names('flow')).toEqual([
      'flow_started',
      'attribution_context_observed',
      'step_viewed',
      'flow_completed',
    ]);
    expect(completed).toEqual(['completed']);
    expect(set.posts('/v1/sdk/events')[0]?.init.headers['x-svc-channel']).toBe(CHANNEL);
    expect(set.posts('/v1/sdk/events')[0]?.body).toMatchObject({
      events: [
        { name: 'flow_started', assignmentVersion: 1, flowId: flowAnswer().flowId, context: { platform: 'web' } },
        {},
        {},
        {},
      ],
    });
  });

  it('survive the double mount of StrictMode: one start, nothing abandoned', async () => {
    const set = createClient();
    const controller = mountFlow(set);
    controller.unmount();
    controller.mount();
    await set.platform.clock.advance(100);
    expect(set.names('flow')).toEqual(['flow_started', 'attribution_context_observed', 'step_viewed']);
    expect(set.posts('/resolve')).toHaveLength(1);
  });

  it('are recorded as abandoned when they and their provider go in one task', async () => {
    const set = createClient();
    const controller = mountFlow(set);
    await settle();
    controller.unmount();
    set.platform.setTimeout(() => set.platform.setTimeout(() => void set.client.close(), 0), 0);
    await set.platform.clock.advance(10);
    const sent = set
      .posts('/v1/sdk/events')
      .flatMap((request) => (request.body as { events: { name: string }[] }).events);
    expect(sent.filter((event) => event.name === 'flow_abandoned')).toHaveLength(1);
    expect(set.reports).toEqual([]);
  });

  it('ignore an answer that comes after they are gone', async () => {
    const set = createClient();
    const controller = mountFlow(set);
    controller.unmount();
    await set.platform.clock.advance(1);
    expect(set.names('flow')).toEqual([]);
  });

  it('fail with an error and can be tried again', async () => {
    let down = true;
    const set = createClient({ respond: (request) => (down ? 'network-error' : friendly(request)) });
    const controller = mountFlow(set);
    await set.platform.clock.advance(11_000);
    expect(controller.getView()).toMatchObject({ status: 'failed' });
    expect(controller.getView().error).toBeInstanceOf(SvcNetworkError);
    down = false;
    controller.retry();
    expect(controller.getView().status).toBe('loading');
    await settle();
    expect(controller.getView().status).toBe('ready');
  });

  it('start at once from memory and ask again in the background, without a swap', async () => {
    const set = createClient();
    await set.client.prefetch(CHANNEL);
    expect(set.names('flow')).toEqual([]);
    set.platform.respond = () => ({
      status: 200,
      body: flowAnswer({ assignmentVersion: 9 }),
      headers: { ETag: '"9-x"' },
    });
    const controller = mountFlow(set);
    expect(controller.getView().flow?.assignmentVersion).toBe(1);
    await settle();
    expect(controller.getView().flow?.assignmentVersion).toBe(1);
    expect(set.client.peek(CHANNEL)?.assignmentVersion).toBe(9);
  });

  it('show the first screen of given data before they are mounted, and start only then', async () => {
    const set = createClient();
    const controller = new FlowController(set.client, set.platform, { channelId: CHANNEL, initialData: flowAnswer() });
    expect(controller.getView().state?.currentScreenId).toBe('scr_a');
    expect([set.names('flow'), set.platform.requests]).toEqual([[], []]);
    controller.mount();
    expect(set.names('flow')[0]).toBe('flow_started');
    await settle();
    expect(set.posts('/resolve')).toEqual([]);
  });

  it('go on where a payment left them, without a start or a request', async () => {
    const set = createClient();
    const flow = flowAnswer();
    const state = { ...set.client.runs.preview(flow), status: 'running' as const };
    const controller = mountFlow(set, { resume: () => ({ flow, state, appUserId: 'payer' }) });
    await settle();
    expect([controller.getView().state?.currentScreenId, set.names('flow'), set.platform.requests]).toEqual([
      'scr_a',
      [],
      [],
    ]);
    controller.respond({ kind: 'cta', action: 'primary' });
    expect(set.names('flow')).toEqual(['flow_completed']);
    expect(set.seen[0]?.event.identity.appUserId).toBe('payer');
    expect(set.client.maySucceed('payer')).toBe(true);
    expect(createClient({ config: { userId: 'ada' } }).client.maySucceed('payer')).toBe(false);
    expect(createClient({ config: granted }).client.maySucceed('payer')).toBe(false);
  });

  it('are abandoned under the old identity when another person comes, and resolved for the new one', async () => {
    const set = createClient({ config: { userId: 'ada' } });
    const controller = mountFlow(set);
    await settle();
    set.client.updateConfig({ ...set.config, userId: 'bob' });
    await settle();
    const flow = set.seen
      .filter((entry) => entry.path === 'flow')
      .map(({ event }) => `${event.name} ${event.identity.appUserId}`);
    expect(flow).toEqual([
      'flow_started ada',
      'attribution_context_observed ada',
      'step_viewed ada',
      'flow_abandoned ada',
      'flow_started bob',
      'attribution_context_observed bob',
      'step_viewed bob',
    ]);
    expect(
      set.posts('/resolve').map((request) => (request.body as { identity: { appUserId: string } }).identity.appUserId),
    ).toEqual(['ada', 'bob']);
    expect(controller.getView().status).toBe('ready');
  });

  it('go on with a new custom user id, which later events carry', async () => {
    const set = createClient({ config: { userId: 'ada' } });
    const controller = mountFlow(set);
    await settle();
    set.client.updateConfig({ ...set.config, customUserId: 'c1' });
    controller.respond({ kind: 'cta', action: 'primary' });
    const custom = set.seen.map(({ event }) => event.identity.customUserId);
    expect(custom).toEqual([undefined, undefined, undefined, 'c1']);
  });

  it('never get the flow of another person from a warm cache, offline', async () => {
    const set = createClient({ config: { userId: 'ada' } });
    await set.client.prefetch(CHANNEL);
    set.platform.respond = () => 'network-error';
    set.client.updateConfig({ ...set.config, userId: 'bob' });
    const controller = mountFlow(set);
    await set.platform.clock.advance(11_000);
    expect(controller.getView().status).toBe('failed');
  });

  it.each<[Reply, object, boolean]>([
    ['network-error', { reason: 'network_error', status: null }, true],
    ['hang', { reason: 'timeout', status: null }, true],
    [{ status: 421 }, { reason: 'http_421', status: 421 }, true],
    [{ status: 429 }, { reason: 'http_429', status: 429 }, true],
    [{ status: 503 }, { reason: 'http_503', status: 503 }, true],
    [{ status: 200, body: {} }, { reason: 'invalid_response', status: 200 }, true],
    [{ status: 401, body: { code: 'invalid_key', message: 'm' } }, { reason: 'invalid_key', status: 401 }, false],
    [{ status: 402, body: { code: 'plan_limit_reached' } }, { reason: 'plan_limit_reached', status: 402 }, false],
    [{ status: 403, body: { code: 'origin_not_allowed' } }, { reason: 'origin_not_allowed', status: 403 }, false],
    [{ status: 404, body: { code: 'channel_unassigned' } }, { reason: 'channel_unassigned', status: 404 }, false],
    [{ status: 410, body: { code: 'channel_archived' } }, { reason: 'channel_archived', status: 410 }, false],
  ])('that cannot be loaded (%j) are reported once, and once to the console', async (answer, expected, retryable) => {
    const set = createClient({ respond: () => answer });
    const failures: unknown[] = [];
    const skipped: string[] = [];
    const controller = mountFlow(set, {
      onError: (failure: unknown) => failures.push(failure),
      onSkipped: (reason: string) => skipped.push(reason),
      onLoaded: () => failures.push('loaded'),
    });
    await set.platform.clock.advance(11_000);
    const report = { code: 'load_failed', channelId: CHANNEL, retryable, ...expected };
    expect([set.reports, failures]).toMatchObject([[report], [report]]);
    expect(skipped).toEqual(retryable ? [] : [(expected as { reason: string }).reason]);
    expect(controller.getView().error).toMatchObject({ retryable });
    expect(set.platform.logged).toHaveLength(1);
    controller.retry();
    await set.platform.clock.advance(11_000);
    expect([set.reports.length, set.platform.logged.length]).toEqual([2, 1]);
    expect(set.platform.logged[0]?.join(' ')).toContain(CHANNEL);
  });

  it('say nothing to the console of a production build', async () => {
    const platform = new FakePlatform(() => ({ status: 404, body: { code: 'channel_not_found' } }));
    platform.developmentBuild = false;
    const set = createClient({ platform });
    mountFlow(set);
    await settle();
    expect([set.reports.length, platform.logged]).toEqual([1, []]);
  });

  it('tell the host what they load and present, each after the state is out', async () => {
    const set = createClient();
    const told: unknown[] = [];
    const controller: FlowController = mountFlow(set, {
      onLoaded: (loaded: { source: string; channelId: string }) =>
        told.push(['loaded', loaded.source, loaded.channelId]),
      onPresented: (step: object) => told.push(['presented', step, controller.getView().status]),
      onStep: (step: object) => told.push(['step', step]),
      onFlowCompleted: () => told.push('completed'),
    });
    await settle();
    controller.respond({ kind: 'cta', action: 'primary' });
    await settle();
    const step = { kind: 'screen', stepId: 'scr_a', fromStepId: null };
    expect(told).toEqual([['loaded', 'network', CHANNEL], ['presented', step, 'ready'], ['step', step], 'completed']);
  });

  it('are presented once, however many screens they show', async () => {
    const calls: string[] = [];
    const two = manifest({ screens: [screen('scr_a', [], 'scr_b'), screen('scr_b', [])] });
    const controller = mountFlow(createClient(), {
      initialData: flowAnswer({ manifest: two }),
      onPresented: ({ stepId }: { stepId: string }) => calls.push(`presented ${stepId}`),
      onStep: ({ stepId }: { stepId: string }) => calls.push(`step ${stepId}`),
    });
    await settle();
    controller.respond({ kind: 'cta', action: 'primary' });
    await settle();
    expect(calls).toEqual(['presented scr_a', 'step scr_a', 'step scr_b']);
  });

  it('outlive a callback that throws', async () => {
    const onStep = () => {
      throw new Error('bug of the host');
    };
    const onEvent = onStep;
    const set = createClient({ extra: { onEvent } });
    const controller = mountFlow(set, { onStep, onLoaded: onStep });
    await settle();
    controller.respond({ kind: 'cta', action: 'primary' });
    await settle();
    expect(controller.getView().state?.status).toBe('completed');
    expect(set.posts('/v1/sdk/events')[0]?.body).toMatchObject({ events: [{}, {}, {}, { name: 'flow_completed' }] });
  });

  it('number the events of a run, also over a redirect', async () => {
    const set = createClient();
    const controller = mountFlow(set);
    await settle();
    const events = () => set.seen.flatMap((entry) => (entry.path === 'flow' ? [entry.event] : []));
    const [{ runId } = { runId: '' }] = events();
    expect(runId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
    expect(events().map((event) => [event.runId, event.seq, event.fromStepId])).toEqual([
      [runId, 0, undefined],
      [runId, 1, undefined],
      [runId, 2, null],
    ]);
    const { place } = controller;
    expect(place).toEqual({ runId, nextSeq: 3, stepId: 'scr_a' });
    const flow = flowAnswer();
    const state = { ...set.client.runs.preview(flow), status: 'running' as const };
    const later = createClient();
    const resumed = mountFlow(later, { resume: () => ({ flow, state, appUserId: 'payer', place }) });
    resumed.respond({ kind: 'cta', action: 'primary' });
    expect(later.seen[0]?.event).toMatchObject({ name: 'flow_completed', runId, seq: 3 });
    set.client.reset();
    await settle();
    const last = events()[events().length - 1];
    expect(last).toMatchObject({ name: 'step_viewed', seq: 2, fromStepId: null });
    expect(last?.runId).not.toBe(runId);
  });

  it('serve no older flow after a 402', async () => {
    const set = createClient();
    await set.client.prefetch(CHANNEL);
    set.platform.respond = () => ({ status: 402, body: { code: 'plan_limit_reached', message: 'm' } });
    await expect(set.client.resolve(CHANNEL)).rejects.toMatchObject({ status: 402 });
  });
});

it('runs see what an app knows about the arrival, where their flow allows it', () => {
  const platform = new FakePlatform(friendly);
  const listeners: (() => void)[] = [];
  let campaign = 'one';
  const attribution: SessionAttribution = {
    begin: () => ({}),
    restore: () => undefined,
    forRun: (flow): AttributionAttributes =>
      flow.features?.attribution === false ? {} : { 'acquisition.campaign': campaign },
    onChange: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const { client } = createClient({
    kind: 'app',
    platform,
    config: { sdkAttributes: { plan: 'a' } },
    extra: { attribution },
  });
  const controller = new FlowController(client, platform, { channelId: CHANNEL, initialData: flowAnswer() });
  controller.mount();
  const attributes = () => controller.getView().state?.session.sdkAttributes;
  expect(attributes()).toEqual({ plan: 'a', 'acquisition.campaign': 'one' });
  campaign = 'two';
  for (const listener of listeners) listener();
  expect(attributes()).toEqual({ plan: 'a', 'acquisition.campaign': 'two' });
  expect(client.runs.attributes({ ...flowAnswer(), features: { attribution: false } })).toEqual({ plan: 'a' });
});
