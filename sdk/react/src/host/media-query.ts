/**
 * A media query of the visitor's system, live; undefined on a server. It is asked of the browser once: to ask anew at each
 * drawing of a screen takes longer than to draw a small one.
 */
export function mediaQuery(text: string) {
  let list: MediaQueryList | undefined;
  const query = () => (list ??= globalThis.matchMedia?.(text));
  return {
    matches: (): boolean => !!query()?.matches,
    subscribe: (listener: () => void): (() => void) => {
      query()?.addEventListener('change', listener);
      return () => query()?.removeEventListener('change', listener);
    },
  };
}
