import type { AttributionSnapshot } from './snapshot';

/** Name under which AppsFlyer's snapshots go. */
export const APPSFLYER_PROVIDER_ID = 'appsflyer';

type Payload = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The payload itself, which may come wrapped in `data`; null when there is none. */
export function extractAppsFlyerPayload(raw: unknown): Record<string, unknown> | null {
  if (!isObject(raw)) return null;
  return { ...(isObject(raw.data) ? raw.data : raw) };
}

/** A value as text; numbers in decimal, blanks as nothing. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function first(payload: Payload, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = text(payload[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

type Params = Record<string, string | boolean>;

function numberedParams(payload: Payload): Params {
  const params: Params = {};
  for (let i = 1; i <= 10; i += 1) {
    const value = text(payload[`af_sub${i}`]);
    if (value !== undefined) params[`sub_${i}`] = value;
  }
  return params;
}

function scalars(payload: Payload): Params {
  const params: Params = {};
  for (const [name, value] of Object.entries(payload)) {
    const kept = typeof value === 'boolean' ? value : text(value);
    if (kept !== undefined) params[name.replace(/\./g, '_')] = kept;
  }
  return params;
}

function snapshot(
  payload: Payload,
  isOrganic: boolean | undefined,
  params: Params,
  capturedAtMs: number,
): AttributionSnapshot {
  return {
    providerId: APPSFLYER_PROVIDER_ID,
    capturedAtMs,
    attribution: { isOrganic, matchType: first(payload, 'match_type', 'af_match_type') },
    acquisition: {
      source: first(payload, 'media_source', 'pid'),
      campaign: first(payload, 'campaign', 'af_campaign'),
      campaignId: first(payload, 'campaign_id', 'af_campaign_id'),
      adset: first(payload, 'adset', 'af_adset'),
      adsetId: first(payload, 'adset_id', 'af_adset_id'),
      creative: first(payload, 'ad', 'af_ad'),
      creativeId: first(payload, 'ad_id', 'af_ad_id'),
      channel: first(payload, 'channel'),
    },
    link: { entry: first(payload, 'deep_link_value', 'af_dp'), params },
  };
}

function organic(payload: Payload): boolean | undefined {
  const status = text(payload.af_status);
  return status === undefined ? undefined : status.toLowerCase() === 'organic';
}

/**
 * A snapshot of what AppsFlyer says about the install (wire.md §10.3); null when it says nothing readable.
 *
 * @param capturedAtMs milliseconds since 1970; default: now
 */
export function normalizeAppsFlyerConversionPayload(
  raw: unknown,
  capturedAtMs: number = Date.now(),
): AttributionSnapshot | null {
  const payload = extractAppsFlyerPayload(raw);
  if (!payload || Object.keys(payload).length === 0) return null;
  return snapshot(payload, organic(payload) ?? false, numberedParams(payload), capturedAtMs);
}

/**
 * A snapshot of a deep link that the app was opened by; null when it says nothing readable.
 *
 * @param capturedAtMs milliseconds since 1970; default: now
 */
export function normalizeAppsFlyerDeepLinkPayload(
  raw: unknown,
  capturedAtMs: number = Date.now(),
): AttributionSnapshot | null {
  const payload = extractAppsFlyerPayload(raw);
  if (!payload || Object.keys(payload).length === 0) return null;
  const { click_event: click, ...own } = payload;
  const all = { ...(isObject(click) ? click : {}), ...own };
  return snapshot(all, organic(all), { ...scalars(all), ...numberedParams(all) }, capturedAtMs);
}
