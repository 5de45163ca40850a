import { describe, expect, it } from 'vitest';
import type { SessionAttribution } from '../../src/analytics/session-attribution';
import { CheckoutAttempts } from '../../src/api/checkout';
import {
  type AttributionAttributes,
  FlowController,
  type KeyValueStore,
  SvcConfigError,
  SvcNetworkError,
} from '../../src/index';
import { CHANNEL, createClient, friendly } from '../support/client';
import { FakePlatform, type Reply, settle } from '../support/fake-platform';
import { flowAnswer } from '../support/flow-answer';

const granted = { analytics: { consent: 'granted' as const } };

/** A store that tells which of the SDK's keys were touched. */
function watched(store: KeyValueStore) {
  const touched: string[] = [];
  const note = (kind: string, key: string) => void touched.push(`${kind} ${key}`);
  const watching: KeyValueStore = {
    getItem(key) {
      note('read', key);
      return store.getItem(key);
    },
    setItem(key, value) {
      note('write', key);
      store.setItem(key, value);
    },
    removeItem(key) {
      note('remove', key);
      store.removeItem(key);
    },
    keys: () => store.keys(),
  };
  return { watching, touched };
}

describe('configuration', () => {
  it('names what is wrong', () => {
    expect(() => createClient({ config: { publishableKey: '' } })).toThrow(SvcConfigError);
    expect(() => createClient({ config: { apiBaseUrl: 'nowhere' } })).toThrow(/apiBaseUrl/);
  });

  it.each<[string, object]>([
    ['publishableKey', { publishableKey: 'undefined' }],
    ['publishableKey', { publishableKey: undefined }],
    ['apiBaseUrl', { apiBaseUrl: 'nowhere' }],
    ['apiBaseUrl', { apiBaseUrl: 7 }],
    ['userId', { userId: 42 }],
    ['loading', { loading: 'fast' }],
    ['loadTimeoutMs', { loadTimeoutMs: 'soon' }],
  ])('of a production build that cannot work (%s) makes a client that does nothing and says so', async (field, bad) => {
    const platform = new FakePlatform(friendly);
    platform.developmentBuild = false;
    const set = createClient({ platform, config: { ...granted, ...bad } });
    const { client, reports } = set;
    client.reopen();
    client.reopen();
    client.pageView();
    client.logEvent('a');
    client.screen('b');
    client.track('c');
    client.setCustomUserId('d');
    client.setBillingIdentity('revenuecat', 'e');
    client.setAnalyticsConsent('granted');
    client.leavePage();
    await client.prefetch(CHANNEL);
    await client.prefetchAll();
    await expect(client.identify({})).rejects.toBeInstanceOf(SvcConfigError);
    const skipped: string[] = [];
    const controller = new FlowController(client, platform, {
      channelId: CHANNEL,
      initialData: flowAnswer(),
      onSkipped: (reason) => skipped.push(reason),
    });
    expect(controller.getView().status).toBe('loading');
    controller.mount();
    await platform.clock.advance(60_000);
    expect(controller.getView()).toMatchObject({ status: 'failed', error: { field, retryable: false } });
    expect([reports.length, skipped]).toEqual([1, ['invalid_config']]);
    expect(reports[0]).toMatchObject({ code: 'config_invalid', field });
    expect(JSON.stringify(reports[0])).toContain(`SvcConfig.${field} `);
    expect([platform.requests, platform.storage.keys(), platform.logged, set.seen]).toEqual([[], [], [], []]);
    expect(client.servesConfig({ ...set.config, ...bad })).toBe(true);
    expect(client.servesConfig({ publishableKey: 'ob_pk_test_k' })).toBe(false);
    await client.close();
  });

  it('takes blank addresses and nulls for what is not set', () => {
    const nothing = { apiBaseUrl: ' ', apiBaseURL: '', userId: null, locale: null, theme: null } as object;
    const { client } = createClient({ config: nothing });
    expect(client.configError).toBeNull();
    expect(client.appUserId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('that is equal by value changes nothing, however often it comes anew', async () => {
    const { client, config, platform, names } = createClient({ config: { ...granted, sdkAttributes: { plan: 'a' } } });
    let changes = 0;
    client.onPersonChange(() => (changes += 1));
    client.onAttributesChange(() => (changes += 1));
    client.pageView();
    for (let i = 0; i < 50; i += 1) {
      client.updateConfig({
        ...config,
        sdkAttributes: { plan: 'a' },
        analytics: { consent: 'granted' },
        fetcher: platform.fetch,
      });
      client.pageView();
    }
    expect([changes, names('product')]).toEqual([0, ['session_start', 'first_visit', 'page_view']]);
    client.updateConfig({ ...config, sdkAttributes: { plan: 'b' } });
    expect(changes).toBe(1);
  });

  it('decides the identity of events, and a call decides over it', () => {
    const { client, config, seen } = createClient({
      config: { ...granted, userId: 'ada', customUserId: 'c1', sessionId: 's' },
    });
    const last = () => seen[seen.length - 1]?.event.identity;
    client.track('a');
    expect(last()).toEqual({ appUserId: 'ada', customUserId: 'c1', sessionId: 's' });
    client.setCustomUserId('c2');
    client.updateConfig({ ...config, locale: 'de' });
    client.track('b');
    expect(last()?.customUserId).toBe('c2');
    client.setCustomUserId(null);
    client.track('c');
    expect(last()?.customUserId).toBeUndefined();
    client.updateConfig({ ...config, customUserId: 'c3' });
    client.track('d');
    expect(last()?.customUserId).toBe('c3');
    client.reset();
    client.track('e');
    expect(last()?.customUserId).toBeUndefined();
  });
});

describe('consent on the web', () => {
  it('pending touches no key, sends no product event, and keeps what it saw for a late grant', async () => {
    const platform = new FakePlatform(friendly);
    const { watching, touched } = watched(platform.storage);
    const tab = watched(platform.sessionStorage);
    platform.storage = watching;
    platform.sessionStorage = tab.watching;
    const { client, names, seen, posts } = createClient({ platform });
    client.pageView();
    client.logEvent('early');
    await client.resolve(CHANNEL);
    await platform.clock.advance(10_000);
    expect([touched, tab.touched, names('product'), posts('/analytics/events')]).toEqual([[], [], [], []]);
    const id = client.appUserId;

    client.setAnalyticsConsent('granted');
    client.pageView();
    client.logEvent('late');
    await settle();
    expect(names('product')).toEqual(['session_start', 'first_visit', 'late']);
    expect(seen.find((entry) => entry.event.name === 'session_start')?.event).toMatchObject({
      identity: { appUserId: id },
      context: { attribution: { 'acquisition.source': 'google', 'link.ext.referrer': 'news.example' } },
    });
    expect(platform.storage.getItem('svc_app_user_id')).toBe(id);
    expect(platform.storage.keys().some((key) => key.startsWith('svc:resolve:'))).toBe(true);
  });

  it('counts the page that is opened after a late grant', () => {
    const { client, names, page } = createClient();
    client.pageView();
    client.setAnalyticsConsent('granted');
    page.address = 'https://shop.example/next';
    client.pageView();
    expect(names('product')).toEqual(['session_start', 'first_visit', 'page_view']);
  });

  it('granted at mount keeps the first page view, and adopts a stored id', () => {
    const platform = new FakePlatform(friendly);
    platform.storage.setItem('svc_app_user_id', 'stored');
    const { client, names } = createClient({ platform, config: granted });
    client.pageView();
    expect([client.appUserId, names('product')]).toEqual(['stored', ['session_start', 'first_visit', 'page_view']]);
  });

  it('denied within five seconds of an event sends nothing and removes every key but a payment', async () => {
    const { client, platform, posts, reports, seen } = createClient({ config: granted });
    client.pageView();
    await client.resolve(CHANNEL);
    platform.storage.setItem('other', 'stays');
    platform.sessionStorage.setItem('svc_stripe_checkout_resume_v1', '{}');
    await platform.clock.advance(4_000);
    client.setAnalyticsConsent('denied');
    await platform.clock.advance(60_000);
    expect(posts('/analytics/events')).toEqual([]);
    expect([platform.storage.keys(), platform.sessionStorage.keys()]).toEqual([
      ['other'],
      ['svc_stripe_checkout_resume_v1'],
    ]);
    expect(reports.map((report) => report.code === 'event_dropped' && report.reason)).toEqual(
      seen.map(() => 'consent_denied'),
    );
    client.logEvent('after');
    client.pageView();
    await client.resolve(CHANNEL);
    expect(platform.storage.keys()).toEqual(['other']);
    client.setAnalyticsConsent('granted');
    client.logEvent('again');
    expect(seen.slice(-3).map((entry) => entry.event.name)).toEqual(['session_start', 'first_visit', 'again']);
  });

  it('enabled: false keeps collection off through a grant', () => {
    const { client, config, names } = createClient({ config: { analytics: { enabled: false } } });
    client.setAnalyticsConsent('granted');
    client.pageView();
    client.logEvent('a');
    expect(names('product')).toEqual([]);
    client.updateConfig({ ...config, analytics: { enabled: true } });
    client.logEvent('b');
    expect(names('product')).toEqual(['session_start', 'first_visit', 'b']);
  });

  it('from the config counts when its value changes, and the same literal never takes back a call', () => {
    const { client, config } = createClient({ config: granted });
    client.setAnalyticsConsent('denied');
    client.updateConfig({ ...config, locale: 'de', analytics: { consent: 'granted' } });
    expect(client.analyticsConsent).toBe('denied');
    client.updateConfig({ ...config, analytics: { consent: 'pending' } });
    client.updateConfig({ ...config, analytics: { consent: 'granted' } });
    expect(client.analyticsConsent).toBe('granted');
  });

  it('is not asked in apps', () => {
    const { client, names } = createClient({ kind: 'app' });
    client.enterForeground();
    client.setAnalyticsConsent('denied');
    client.screen('Home');
    expect(names('product')).toEqual(['session_start', 'first_open', 'screen_view']);
  });

  it('falls back to memory when the store throws at everything', async () => {
    const platform = new FakePlatform(friendly);
    const refuse = () => {
      throw new Error('blocked');
    };
    platform.storage = { getItem: refuse, setItem: refuse, removeItem: refuse, keys: refuse };
    const { client, names } = createClient({ platform, config: granted });
    client.pageView();
    client.logEvent('a');
    await client.resolve(CHANNEL);
    expect(names('product')).toEqual(['session_start', 'first_visit', 'page_view', 'a']);
    expect(client.appUserId).toBe(client.appUserId);
  });
});

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
    const state = { ...set.client.previewState(flow), status: 'running' as const };
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
    const state = { ...set.client.previewState(flow), status: 'running' as const };
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

describe('the life of a client', () => {
  it('goes on after a close when its provider mounts again, also after a 402', async () => {
    let paused = true;
    const set = createClient({
      kind: 'app',
      respond: (request) =>
        paused ? { status: 402, body: { code: 'plan_limit_reached', message: 'm' } } : friendly(request),
    });
    set.client.track('a');
    await set.platform.clock.advance(5_000);
    await set.client.close();
    set.client.track('closed');
    paused = false;
    set.client.reopen();
    set.client.track('b');
    await set.platform.clock.advance(5_000);
    const sent = set
      .posts('/v1/sdk/track')
      .map((request) => (request.body as { events: { name: string }[] }).events[0]?.name);
    expect(sent).toEqual(['a', 'b']);
    const dropped = set.reports.flatMap((report) => (report.code === 'event_dropped' ? [report.name] : []));
    expect(dropped).toEqual(['a', 'closed']);
  });
});

describe('other calls', () => {
  it('track sends its own path, identify answers, billing identities never throw', async () => {
    const set = createClient({
      config: { userId: 'ada' },
      respond: (request) =>
        request.url.endsWith('/identify')
          ? {
              status: 200,
              body: { appUserId: 'ada', email: null, marketingConsent: 'unknown', topicConsents: {}, merged: false },
            }
          : request.url.endsWith('/billing-identities')
            ? { status: 500 }
            : { status: 200, body: {} },
    });
    set.client.track('cart_left', { items: 2 });
    set.client.track('  ');
    await set.platform.clock.advance(5_000);
    expect(set.posts('/v1/sdk/track')[0]?.body).toMatchObject({
      events: [{ name: 'cart_left', properties: { items: 2 }, identity: { appUserId: 'ada' } }],
    });
    expect(set.reports).toMatchObject([{ code: 'event_dropped', path: 'track', reason: 'invalid_name' }]);
    expect(await set.client.identify({ firstName: 'Ada' })).toMatchObject({ merged: false });
    expect(set.posts('/identify')[0]?.body).toEqual({ appUserId: 'ada', firstName: 'Ada' });
    set.client.setBillingIdentity('revenuecat', 'rc-1');
    await settle();
    expect(set.posts('/billing-identities')[0]?.body).toEqual({
      appUserId: 'ada',
      provider: 'revenuecat',
      externalId: 'rc-1',
    });
  });

  it('warn developers who record one name for reports and for automations', () => {
    const { client, platform } = createClient({ config: granted });
    client.logEvent('bought');
    client.logEvent('bought');
    client.track('cart_left');
    expect(platform.logged).toEqual([]);
    for (let i = 0; i < 3; i += 1) {
      client.track('bought');
      client.logEvent('cart_left');
    }
    expect(platform.logged.map((line) => /"(.*)"/.exec(String(line[1]))?.[1])).toEqual(['bought', 'cart_left']);
  });

  it('leaving the page sends what waits, attribution or not', async () => {
    const never = { begin: () => new Promise<never>(() => undefined), restore: () => undefined };
    const set = createClient({ kind: 'app', extra: { attribution: never } });
    set.client.logEvent('a');
    set.client.leavePage();
    await settle();
    const [request] = set.posts('/analytics/events');
    expect(request?.init.keepalive).toBe(true);
    expect((request!.body as { events: { name: string }[] }).events.map((event) => event.name)).toEqual([
      'session_start',
      'first_open',
      'a',
    ]);
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
  expect(client.runAttributes({ ...flowAnswer(), features: { attribution: false } })).toEqual({ plan: 'a' });
});

describe('a store that is still being read', () => {
  function slow() {
    let open: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (open = resolve));
    const set = createClient({ kind: 'app', platform: new FakePlatform(friendly), extra: { ready } });
    const opened = async () => {
      set.platform.storage.setItem('svc_app_user_id', 'from-before');
      open();
      await settle();
    };
    return { ...set, opened };
  }

  it('loses no call, keeps times and ids, and makes up nobody', async () => {
    const { client, seen, platform, opened } = slow();
    const began = platform.now();
    client.enterForeground();
    client.logEvent('a');
    client.setCustomUserId('c1');
    await platform.clock.advance(700);
    client.screen('home');
    client.track('b');
    expect([seen.length, platform.storage.keys()]).toEqual([0, []]);
    await opened();
    expect(
      seen.map(({ event }) => [event.name, Date.parse(event.timestamp) - began, event.identity.customUserId]),
    ).toEqual([
      ['session_start', 0, undefined],
      ['first_open', 0, undefined],
      ['a', 0, undefined],
      ['screen_view', 700, 'c1'],
      ['b', 700, 'c1'],
    ]);
    expect(new Set(seen.map(({ event }) => event.identity.appUserId))).toEqual(new Set(['from-before']));
    expect(client.currentCustomUserId).toBe('c1');
  });

  it('makes flows and requests wait, and a flow that is gone by then never starts', async () => {
    const { client, platform, posts, names, opened } = slow();
    const controller = new FlowController(client, platform, { channelId: CHANNEL });
    const gone = new FlowController(client, platform, { channelId: CHANNEL });
    controller.mount();
    gone.mount();
    gone.unmount();
    void client.prefetch(CHANNEL);
    client.setBillingIdentity('revenuecat', 'rc-1');
    await platform.clock.advance(1);
    expect([controller.getView().status, platform.requests.length]).toEqual(['loading', 0]);
    await opened();
    expect(controller.getView().status).toBe('ready');
    expect(posts('/v1/sdk/resolve').map(({ body }) => (body as { identity: object }).identity)).toEqual([
      { appUserId: 'from-before' },
    ]);
    expect(posts('/billing-identities')).toHaveLength(1);
    expect(names('flow')).toEqual(['flow_started', 'step_viewed']);
  });

  it('is waited for by a close, which then sends what was kept', async () => {
    const { client, posts, opened } = slow();
    client.logEvent('a');
    const closed = client.close();
    await opened();
    await closed;
    expect(posts('/analytics/events')).toHaveLength(1);
  });
});

describe('payments by link', () => {
  const checkoutOf = ({ client, platform }: Pick<ReturnType<typeof createClient>, 'client' | 'platform'>) =>
    new CheckoutAttempts(platform, client.connection);
  const attempt = (statuses: string[]) =>
    createClient({
      respond: (request) => {
        if (request.url.endsWith('/cancel')) return { status: 200, body: { attemptId: 'a', status: 'cancelled' } };
        if (request.init.method === 'POST') return { status: 200, body: { attemptId: 'a', expiresAt: 'T' } };
        return { status: 200, body: { attemptId: 'a', status: statuses.shift() ?? 'pending' } };
      },
    });

  it.each([
    [['pending', 'confirmed'], 'purchase_completed', 2],
    [['expired'], 'purchase_cancelled', 1],
    [[], 'purchase_completed', 11],
  ])('a success return with %j is %s', async (statuses, outcome, asked) => {
    const { client, platform } = attempt([...statuses]);
    const pending = checkoutOf({ client, platform }).outcomeOfSuccessReturn(CHANNEL, 'a');
    await platform.clock.advance(20_000);
    expect(await pending).toBe(outcome);
    expect(platform.requests).toHaveLength(asked);
    expect(platform.requests.every((request) => !request.url.endsWith('/cancel'))).toBe(true);
  });

  it('a plain return cancels what is pending', async () => {
    const { client, platform } = attempt(['pending']);
    expect(await checkoutOf({ client, platform }).outcomeOfPlainReturn(CHANNEL, 'a')).toBe('purchase_cancelled');
    expect(platform.requests[1]?.url).toMatch(/checkout-attempts\/a\/cancel$/);
    expect(platform.requests[1]?.init.headers['x-svc-channel']).toBe(CHANNEL);
    expect(await checkoutOf(attempt(['confirmed'])).outcomeOfPlainReturn(CHANNEL, 'a')).toBe('purchase_completed');
    const broken = createClient({ respond: () => ({ status: 500 }) });
    expect(await checkoutOf(broken).outcomeOfPlainReturn(CHANNEL, 'a')).toBe('failed');
  });
});
