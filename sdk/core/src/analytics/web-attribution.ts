import type { ParsedUrl } from '../host/platform';
import { clip } from '../host/text-size';
import type { AttributionAttributes } from './attribution-keys';

export const WEB_ATTRIBUTION_PROVIDER = 'web_first_party';
/** Longest value taken from an address, in UTF-16 code units; campaign tools stay far below it. */
const MAX_VALUE_UNITS = 512;

function decode(text: string): string {
  const spaced = text.replace(/\+/g, ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Parameters of a query string; of repeated ones the first counts. */
export function parseQuery(search: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of search.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const key = decode(name);
    if (!parameters.has(key)) parameters.set(key, decode(value.join('=')));
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
 * What a page's address and referrer say about where the visitor came from (wire.md §10.3). The landing URL goes
 * without query and fragment, which may carry secrets and would split one page into many.
 *
 * @param referrer null where it must not count: for a later session in the same document
 */
export function captureWebAttribution(page: ParsedUrl, referrer: ParsedUrl | null): AttributionAttributes {
  const parameters = parseQuery(page.search);
  const attributes: AttributionAttributes = { 'attribution.provider': WEB_ATTRIBUTION_PROVIDER };
  for (const [parameter, key] of KEYS_BY_PARAMETER) {
    const value = clip((parameters.get(parameter) ?? '').trim(), MAX_VALUE_UNITS);
    if (value !== '' && attributes[key] === undefined) attributes[key] = value;
  }
  if (referrer?.host && referrer.host !== page.host) attributes['link.ext.referrer'] = referrer.host;
  if (page.host) {
    attributes['link.ext.landing_url'] = clip(`${page.protocol}//${page.host}${page.pathname}`, 2 * MAX_VALUE_UNITS);
  }
  attributes['attribution.isOrganic'] =
    attributes['acquisition.source'] === undefined && attributes['acquisition.campaign'] === undefined;
  return attributes;
}

/** Name of a page view: the path, or the route of a single-page app that keeps it behind `#/` or `#!/`. */
export function pageName(page: Pick<ParsedUrl, 'pathname' | 'hash'>): string {
  const route = /^#!?(\/.*)$/.exec(page.hash)?.[1];
  // A route may carry its own query, which is no part of the page's name.
  return route ? (route.split('?')[0] ?? route) : page.pathname || '/';
}
