/** How often a longer piece of idle time is waited for: a page that moves all the time has short ones only. */
const tries = 20;

/** Calls once the page has nothing to do for some milliseconds at least. Returns what calls it off. */
export function whenIdle(act: () => void, least = 8): () => void {
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(act, 50);
    return () => clearTimeout(timer);
  }
  let asked = 0;
  const ask = (left: number) => {
    asked = requestIdleCallback((deadline) => (left > 0 && deadline.timeRemaining() < least ? ask(left - 1) : act()));
  };
  ask(tries);
  return () => cancelIdleCallback(asked);
}
