/** Calls once the page has had nothing to do for some milliseconds, in its own piece of time. Returns what calls it off. */
export function whenIdle(act: () => void, least = 8): () => void {
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(act, 50);
    return () => clearTimeout(timer);
  }
  let asked = 0;
  const ask = () => {
    asked = requestIdleCallback((deadline) => (deadline.timeRemaining() < least ? ask() : act()));
  };
  ask();
  return () => cancelIdleCallback(asked);
}
