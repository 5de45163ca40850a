import type { AttributionAttributes } from '@svc/core';
import { captureWebAttribution } from '@svc/core/internal';
import { relay } from '@svc/react-core';
import { createBrowserPlatform, isBrowser } from './browser-platform';

/**
 * Attribution keys that an address and a referrer amount to (wire.md §10.3). Reads and writes no storage.
 *
 * @param href default: the address of the page
 * @param referrer default: the referrer of the document
 */
export function captureWebAttributionFromLocation(
  href: string = isBrowser() ? window.location.href : '',
  referrer: string = isBrowser() ? document.referrer : '',
): AttributionAttributes {
  const { parseUrl } = createBrowserPlatform();
  const page = parseUrl(href);
  return page ? captureWebAttribution(page, parseUrl(referrer)) : {};
}

/**
 * Attribution keys that decisions and conditional layers of this page's runs see: what the address and the referrer
 * said when the page was loaded, wherever the visitor has gone in it since. Without a mounted provider, what they say
 * now. Reads and writes no storage.
 */
export function collectWebAttributionAttributes(): AttributionAttributes {
  return relay.attached?.arrivalAttributes ?? captureWebAttributionFromLocation();
}
