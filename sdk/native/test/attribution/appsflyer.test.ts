import {
  extractAppsFlyerPayload,
  normalizeAppsFlyerConversionPayload,
  normalizeAppsFlyerDeepLinkPayload,
} from '../../src/attribution/appsflyer-payload';
import { createAppsFlyerAttributionProvider } from '../../src/attribution/providers';
import {
  type AttributionSnapshot,
  flattenAttributionSnapshot,
  mergeAttributionSnapshots,
  snapshotHasSignal,
} from '../../src/attribution/snapshot';

const flat = (snapshot: AttributionSnapshot | null) => snapshot && flattenAttributionSnapshot(snapshot);

describe('what AppsFlyer says about an install', () => {
  it('comes under the canonical keys, wrapped or not', () => {
    const payload = {
      af_status: 'Non-organic',
      media_source: 'Facebook Ads',
      campaign: 'spring',
      campaign_id: 12,
      adset: 'young',
      adset_id: '7',
      ad: 'blue',
      ad_id: 9.5,
      channel: 'Instagram',
      match_type: 'probabilistic',
      deep_link_value: 'offer/1',
      af_sub1: 'x',
      af_sub10: 10,
      af_sub11: 'ignored',
      ignored: { nested: true },
    };
    const expected = {
      'attribution.provider': 'appsflyer',
      'attribution.isOrganic': false,
      'attribution.matchType': 'probabilistic',
      'acquisition.source': 'Facebook Ads',
      'acquisition.campaign': 'spring',
      'acquisition.campaignId': '12',
      'acquisition.adset': 'young',
      'acquisition.adsetId': '7',
      'acquisition.creative': 'blue',
      'acquisition.creativeId': '9.5',
      'acquisition.channel': 'Instagram',
      'link.entry': 'offer/1',
      'link.ext.sub_1': 'x',
      'link.ext.sub_10': '10',
    };
    expect(flat(normalizeAppsFlyerConversionPayload(payload))).toEqual(expected);
    expect(flat(normalizeAppsFlyerConversionPayload({ status: 'success', data: payload }))).toEqual(expected);
  });

  it('takes the second names where the first are missing or blank', () => {
    const payload = {
      media_source: ' ',
      pid: 'partner',
      af_campaign: 'c',
      af_campaign_id: 'ci',
      af_adset: 's',
      af_adset_id: 'si',
      af_ad: 'a',
      af_ad_id: 'ai',
      af_match_type: 'm',
      af_dp: 'app://x',
    };
    expect(normalizeAppsFlyerConversionPayload(payload, 5)).toMatchObject({
      capturedAtMs: 5,
      attribution: { isOrganic: false, matchType: 'm' },
      acquisition: {
        source: 'partner',
        campaign: 'c',
        campaignId: 'ci',
        adset: 's',
        adsetId: 'si',
        creative: 'a',
        creativeId: 'ai',
      },
      link: { entry: 'app://x' },
    });
  });

  it.each([
    ['Organic', true],
    ['ORGANIC', true],
    ['Non-organic', false],
    [undefined, false],
  ])('is organic for the status %p: %p', (af_status, isOrganic) => {
    const payload = { ...(af_status === undefined ? {} : { af_status }), is_first_launch: true };
    expect(normalizeAppsFlyerConversionPayload(payload)?.attribution?.isOrganic).toBe(isOrganic);
  });

  it('is nothing when it cannot be read', () => {
    for (const raw of [null, undefined, 'text', 4, [], {}, { data: {} }]) {
      expect(normalizeAppsFlyerConversionPayload(raw)).toBeNull();
      expect(normalizeAppsFlyerDeepLinkPayload(raw)).toBeNull();
    }
    expect(extractAppsFlyerPayload({ data: { a: 1 } })).toEqual({ a: 1 });
    expect(extractAppsFlyerPayload({ data: 'text', a: 1 })).toEqual({ data: 'text', a: 1 });
    expect(extractAppsFlyerPayload(null)).toBeNull();
  });
});

it('a deep link brings every plain value of its click and of its own, and says nothing about the install', () => {
  const link = normalizeAppsFlyerDeepLinkPayload({
    deepLinkStatus: 'FOUND',
    data: {
      deep_link_value: 'product/4',
      media_source: 'mail',
      af_sub2: 'two',
      'a.b': 1,
      promo_code: 'X',
      is_deferred: false,
      nested: { no: 1 },
      click_event: { promo_code: 'lost', campaign: 'news', 'click.id': 'c' },
    },
  });
  expect(flat(link)).toEqual({
    'attribution.provider': 'appsflyer',
    'acquisition.source': 'mail',
    'acquisition.campaign': 'news',
    'link.entry': 'product/4',
    'link.ext.deep_link_value': 'product/4',
    'link.ext.media_source': 'mail',
    'link.ext.campaign': 'news',
    'link.ext.af_sub2': 'two',
    'link.ext.sub_2': 'two',
    'link.ext.a_b': '1',
    'link.ext.click_id': 'c',
    'link.ext.promo_code': 'X',
    'link.ext.is_deferred': false,
  });
});

describe('snapshots', () => {
  const snapshot = (extra: Partial<AttributionSnapshot>): AttributionSnapshot => ({
    providerId: 'p',
    capturedAtMs: 1,
    ...extra,
  });

  it('merge so that later values win and missing ones take nothing away', () => {
    const earlier = snapshot({
      capturedAtMs: 9,
      attribution: { isOrganic: true, matchType: 'm' },
      acquisition: { source: 's', campaign: 'c' },
      link: { entry: 'e', params: { a: '1', b: '2' } },
    });
    const later = snapshot({
      providerId: 'q',
      capturedAtMs: 5,
      attribution: { isOrganic: false, matchType: undefined },
      acquisition: { source: undefined, campaign: 'd' },
      link: { params: { b: '3' } },
    });
    expect(mergeAttributionSnapshots(earlier, later)).toEqual({
      providerId: 'q',
      capturedAtMs: 9,
      attribution: { isOrganic: false, matchType: 'm' },
      acquisition: { source: 's', campaign: 'd' },
      link: { entry: 'e', params: { a: '1', b: '3' } },
    });
    expect(mergeAttributionSnapshots(null, later)).toBe(later);
  });

  it('have clean parameter names and no empty values', () => {
    const name = 'ä b.c-d';
    expect(
      flattenAttributionSnapshot(
        snapshot({ acquisition: { source: '' }, link: { params: { [name]: 1, [`x${'y'.repeat(80)}`]: 'z', e: '' } } }),
      ),
    ).toEqual({ 'attribution.provider': 'p', 'link.ext.__b_c_d': 1, [`link.ext.x${'y'.repeat(63)}`]: 'z' });
  });

  it('have a signal when they say more than who took them', () => {
    expect(snapshotHasSignal(snapshot({ acquisition: { source: '' } }))).toBe(false);
    expect(snapshotHasSignal(snapshot({ attribution: { isOrganic: true } }))).toBe(true);
  });
});

describe('the provider', () => {
  function module() {
    const listeners: Record<string, (payload: unknown) => void> = {};
    const ended: string[] = [];
    const listen = (name: string) => (listener: (payload: unknown) => void) => {
      listeners[name] = listener;
      return () => void ended.push(name);
    };
    return { listeners, ended, api: { onInstallConversionData: listen('install'), onDeepLink: listen('link') } };
  }

  it('listens for installs and for links that were found, until it is ended', () => {
    const { listeners, ended, api } = module();
    const provider = createAppsFlyerAttributionProvider(() => api);
    const seen: (string | undefined)[] = [];
    const end = provider.start((snapshot) => seen.push(snapshot.acquisition?.source));
    listeners.install?.({ status: 'success', data: { media_source: 'a' } });
    listeners.install?.({ status: 'failure', data: 'no network' });
    listeners.install?.(new Error('Invalid data structure'));
    listeners.link?.({ status: 'success', deepLinkStatus: 'FOUND', data: { media_source: 'b' } });
    listeners.link?.({ status: 'success', deepLinkStatus: 'NOT_FOUND', data: { media_source: 'c' } });
    listeners.link?.({ status: 'failure', data: { media_source: 'd' } });
    expect(seen).toEqual(['a', 'b']);
    expect(provider.isAvailable()).toBe(true);
    end();
    expect(ended).toEqual(['install', 'link']);
  });

  it('is not there without its module', () => {
    for (const load of [() => null, () => ({})]) {
      const provider = createAppsFlyerAttributionProvider(load);
      expect(provider.isAvailable()).toBe(false);
      expect(() => provider.start(() => undefined)()).not.toThrow();
    }
  });
});
