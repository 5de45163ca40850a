// Package chromium takes pictures of pages with an installed Chromium. The browser reaches no network: what a page asks
// for is answered by a handler of this process, or refused.
package chromium
