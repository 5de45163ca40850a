import type { JsonObject, NodeId } from './document/operation';

/** What the canvas shows of a screen's motion: all of it as it is that many ms after the screen opened. */
export type Moment = { readonly screen: NodeId; readonly ms: number; readonly plays?: boolean };

type State = {
  /** Undefined where everything has come to rest, as else. */
  moment?: Moment | undefined;
  /** Whether screens are shown as to a user who asks for less motion. */
  reduced?: boolean;
  /** How long a screen moves, in ms; the canvas knows it, once it is there. */
  lengthOf?: ((screen: JsonObject) => number) | undefined;
};

/** Shows screens at a moment of their motion, and plays it. The draft knows nothing of it. */
export class Playhead {
  state: State = {};
  readonly #listeners = new Set<() => void>();

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  set(change: State) {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Plays a screen from its moment or the beginning, or stops at it. Returns true, or why it can't, in words. */
  toggle(object: JsonObject | undefined): true | string {
    const { moment, lengthOf } = this.state;
    if (!object) return 'Select a screen to play its animations';
    const screen = String(object.id);
    const from = moment?.screen === screen ? moment.ms : 0;
    const length = lengthOf?.(object) ?? 0;
    if (moment?.plays && moment.screen === screen) this.set({ moment: { screen, ms: from } });
    else if (length === 0) return 'Nothing on this screen moves';
    else if (matchMedia('(prefers-reduced-motion: reduce)').matches)
      return 'Your system asks for less motion. The playhead under Motion shows each moment.';
    else this.#play(screen, performance.now() - (from < length ? from : 0), length);
    return true;
  }

  #play(screen: NodeId, began: number, length: number) {
    const ms = Math.round(performance.now() - began);
    // In the end all rests, which what plays on leaving does not wait for.
    const moment = ms < length ? { screen, ms, plays: true } : undefined;
    this.set({ moment });
    // Whatever else is shown meanwhile ends it.
    if (moment) requestAnimationFrame(() => this.state.moment === moment && this.#play(screen, began, length));
  }
}
