import type { ParsedUrl } from '../host/platform';
import { clip } from '../host/text-size';
import type { AttributionAttributes } from './attribution-keys';
import { decodeEscapes, readablePath } from './readable-path';

export const WEB_ATTRIBUTION_PROVIDER = 'web_first_party';
/** Longest value taken from an address, in UTF-16 code units; campaign tools stay far below it. */
const MAX_VALUE_UNITS = 512;
/** A route of a single-page app that keeps it behind `#/` or `#!/`: its path and its own query. */
const HASH_ROUTE = /^#!?(\/[^?]*)(\?.*)?$/s;
/** Schemes whose referrer is a page or an app; all others are extensions, files and the browser's own pages. */
const REFERRER_SCHEMES = ['http:', 'https:', 'android-app:'];

/** Parameters of query strings that say something: of repeated ones the first that is not blank counts. */
export function parseQuery(...searches: string[]): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of searches.flatMap((search) => search.replace(/^\?/, '').split('&'))) {
    const [key = '', value = ''] = pair
      .replace(/\+/g, ' ')
      .split(/=(.*)/s, 2)
      .map((part) => decodeEscapes(part).trim());
    if (value !== '' && !parameters.has(key)) parameters.set(key, value);
  }
  return parameters;
}

/** Query parameters and the keys they fill, in the order in which alternatives win. */
const KEYS_BY_PARAMETER: readonly (readonly [string, string])[] = [
  ['utm_source', 'acquisition.source'],
  ['utm_campaign', 'acquisition.campaign'],
  ['utm_medium', 'acquisition.channel'],
  ['utm_content', 'link.ext.utm_content'],
  ['utm_term', 'link.ext.utm_term'],
  ['svc_entry', 'link.entry'],
  ['entry', 'link.entry'],
];

/**
 * Ids that ad networks tag clicks with, and the source that each names (analytics.md §2). Those of search engines are
 * on paid clicks alone; those of social networks are on other clicks too, and `fbclid` and `igshid` are on every link.
 */
const CLICK_IDS: readonly (readonly [parameter: string, source: string, medium?: string])[] = [
  ['gclid', 'google', 'cpc'],
  ['gbraid', 'google', 'cpc'],
  ['wbraid', 'google', 'cpc'],
  ['msclkid', 'bing', 'cpc'],
  ['ttclid', 'tiktok'],
  ['twclid', 'twitter'],
  ['li_fat_id', 'linkedin'],
  ['ScCid', 'snapchat'],
  ['rdt_cid', 'reddit'],
];

/** What a click that an ad network tagged itself says, unless the address names a medium. */
function readClickId(parameters: Map<string, string>, attributes: AttributionAttributes): void {
  const click = CLICK_IDS.find(([parameter]) => parameters.has(parameter));
  if (!click || attributes['acquisition.channel'] !== undefined) return;
  const [, source, medium] = click;
  attributes['acquisition.source'] ??= source;
  if (medium) attributes['acquisition.channel'] = medium;
}

/**
 * What a page's address and referrer say about where the visitor came from (wire.md §10.3). The landing URL goes
 * without query and fragment, which may carry secrets and would split one page into many.
 *
 * @param referrer null where it must not count: for a later session in the same document
 */
export function captureWebAttribution(page: ParsedUrl, referrer: ParsedUrl | null): AttributionAttributes {
  const parameters = parseQuery(page.search, HASH_ROUTE.exec(page.hash)?.[2] ?? '');
  const attributes: AttributionAttributes = { 'attribution.provider': WEB_ATTRIBUTION_PROVIDER };
  for (const [parameter, key] of KEYS_BY_PARAMETER) {
    const value = parameters.get(parameter);
    if (value !== undefined && attributes[key] === undefined) attributes[key] = clip(value, MAX_VALUE_UNITS);
  }
  readClickId(parameters, attributes);
  if (referrer?.host && referrer.host !== page.host && REFERRER_SCHEMES.includes(referrer.protocol)) {
    attributes['link.ext.referrer'] = referrer.host;
  }
  if (page.host) {
    const origin = `${page.protocol}//${page.host}`;
    attributes['link.ext.landing_url'] = origin + readablePath(page.pathname, 2 * MAX_VALUE_UNITS - origin.length);
  }
  attributes['attribution.isOrganic'] =
    attributes['acquisition.source'] === undefined && attributes['acquisition.campaign'] === undefined;
  return attributes;
}

/** Name of a page view: the readable path, or the route of a single-page app that keeps it behind `#/` or `#!/`. */
export function pageName(page: Pick<ParsedUrl, 'pathname' | 'hash'>): string {
  return readablePath(HASH_ROUTE.exec(page.hash)?.[1] ?? (page.pathname || '/'));
}
