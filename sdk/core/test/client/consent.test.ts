import { describe, expect, it } from 'vitest';
import type { KeyValueStore } from '../../src/index';
import { CHANNEL, createClient, friendly } from '../support/client';
import { FakePlatform, settle } from '../support/fake-platform';

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
