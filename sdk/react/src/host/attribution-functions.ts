import { type AttributionAttributes, captureWebAttribution } from '@svc/core';
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
