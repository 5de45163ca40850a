type Listener = () => void;

const listeners = new Set<Listener>();
let restore: (() => void) | null = null;

function announce(): void {
  for (const listener of [...listeners]) listener();
}

/** Wraps the two history methods; the browser has no event for them. */
function watchHistory(): () => void {
  const undo = (['pushState', 'replaceState'] as const).map((name) => {
    const original = window.history[name];
    const wrapped: History['pushState'] = function (this: History, ...args) {
      original.apply(this, args);
      announce();
    };
    window.history[name] = wrapped;
    return () => {
      // Somebody may have wrapped it once more; then it stays and finds no listeners.
      if (window.history[name] === wrapped) window.history[name] = original;
    };
  });
  window.addEventListener('popstate', announce);
  window.addEventListener('hashchange', announce);
  return () => {
    for (const put of undo) put();
    window.removeEventListener('popstate', announce);
    window.removeEventListener('hashchange', announce);
  };
}

/** Calls back whenever the address of the page changed without a load. Returns the removal. */
export function onAddressChange(listener: Listener): () => void {
  listeners.add(listener);
  restore ??= watchHistory();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    restore?.();
    restore = null;
  };
}

/** Calls back when the page is hidden or goes away, which may be the last moment it runs. */
export function onLeave(listener: Listener): () => void {
  const hidden = () => {
    if (document.visibilityState === 'hidden') listener();
  };
  document.addEventListener('visibilitychange', hidden);
  window.addEventListener('pagehide', listener);
  return () => {
    document.removeEventListener('visibilitychange', hidden);
    window.removeEventListener('pagehide', listener);
  };
}
