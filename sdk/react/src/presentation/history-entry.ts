const MEMBER = 'svcPresentation';
/** Longest wait for the browser to go back, in ms; it may be told not to by the page. */
const BACK_TIMEOUT_MS = 500;

let lastId = 0;

function idOfState(): unknown {
  const state: unknown = window.history.state;
  return typeof state === 'object' && state !== null ? (state as Record<string, unknown>)[MEMBER] : undefined;
}

/** An entry of the history that stands for a presentation, so that going back closes it and not the page. */
export interface HistoryEntry {
  /** Takes the entry away; resolves once the browser stands where it was before. */
  leave(): Promise<void>;
}

/** Adds the entry at the same address. Calls back when the visitor has gone back over it. */
export function pushHistoryEntry(onBack: () => void): HistoryEntry {
  lastId += 1;
  const id = `${Date.now()}-${lastId}`;
  const { history } = window;
  const kept = typeof history.state === 'object' ? history.state : {};
  // A router's own members stay, and its wrapper of the method isn't told: the address is the same.
  History.prototype.pushState.call(history, { ...kept, [MEMBER]: id }, '');
  let there = true;
  const onPopState = () => {
    if (!there || idOfState() === id) return;
    there = false;
    window.removeEventListener('popstate', onPopState);
    onBack();
  };
  window.addEventListener('popstate', onPopState);
  return {
    leave: async () => {
      window.removeEventListener('popstate', onPopState);
      // Somebody has gone on from here: the entry is theirs to go back to.
      if (!there || idOfState() !== id) return;
      there = false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, BACK_TIMEOUT_MS);
        window.addEventListener('popstate', () => resolve(clearTimeout(timer)), { once: true });
        history.back();
      });
    },
  };
}
