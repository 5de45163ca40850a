/**
 * Calls back whenever the address of the page may have changed without a load, and before a script of the page changes
 * it. Browsers have no event for all of it.
 * The SDK's function of this name can be undone; a page has no use for that, and would load it.
 */
export function onAddressChange(before: () => void, listener: () => void): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = function (this: History, ...change) {
      before();
      original.apply(this, change);
      listener();
    };
  }
  addEventListener('popstate', listener);
  addEventListener('hashchange', listener);
}
