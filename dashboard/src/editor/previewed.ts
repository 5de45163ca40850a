import type { Json } from './document/operation';

/** Tells whether a condition holds in a run; undefined where that can't be said. */
export type Holds = (expression: Json) => boolean | undefined;

/** What the preview knows while it is open: whether conditions hold for the user who goes through the flow in it. */
export class Previewed {
  holds: Holds | undefined;
  readonly #listeners = new Set<() => void>();

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Takes another function whenever something has happened in the run; none where there is no run. */
  set(holds: Holds | undefined) {
    this.holds = holds;
    for (const listener of this.#listeners) listener();
  }
}
