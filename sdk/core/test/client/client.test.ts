import { describe, expect, it } from 'vitest';
import { FlowController, SvcConfigError } from '../../src/index';
import { CHANNEL, createClient, friendly } from '../support/client';
import { FakePlatform, settle } from '../support/fake-platform';
import { flowAnswer } from '../support/flow-answer';

const granted = { analytics: { consent: 'granted' as const } };

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
    client.runs.changes.add(() => (changes += 1));
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

  it('is another person after a reset, and the same one until then', () => {
    const { client, seen } = createClient({ kind: 'app' });
    const ids = () => seen.map(({ event }) => event.identity.appUserId);
    client.track('before');
    client.track('still');
    client.reset();
    client.track('after');
    const [before, still, after] = ids();
    expect(before).toBeDefined();
    expect(still).toBe(before);
    expect(after).toBeDefined();
    expect(after).not.toBe(before);
    expect(client.appUserId).toBe(after);
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
