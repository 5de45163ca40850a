import type { Place } from './drop';

/** Something new that is dragged from a panel. */
export type Carried = {
  /** Tells whether it can go to a place: true, or why not, in words. */
  may(to: Place): true | string;
  drop(to: Place): void;
  /** Is told why it could not be dropped where it was let go. */
  refuse(why: string): void;
};

/** Finds the place under a point of the page, or why it can't go there, and marks it; what is not given any more is taken
 * away. */
export type Zone = (carried: Carried | undefined, point: { x: number; y: number }) => Place | string | undefined;

/** From how many pixels on a press is a drag. */
const slack = 4;

/** Drags something new from one part of the page to others, which know where it can go. Escape ends it without a change. */
export class Carry {
  #zones = new Set<Zone>();
  #end: (() => void) | undefined;
  /** Whether something is dragged. */
  isActive = false;
  /** Whether the last press was a drag, so that the click that follows is none. */
  wasDrag = false;

  /** Takes part until what it returns is called. */
  join(zone: Zone): () => void {
    this.#zones.add(zone);
    return () => this.#zones.delete(zone);
  }

  /** Begins with a press; it is a drag when the pointer has left its place. */
  press(start: { clientX: number; clientY: number }, carried: Carried) {
    this.#end?.();
    this.wasDrag = false;
    const find = ({ clientX: x, clientY: y }: PointerEvent) => {
      let found: Place | string | undefined;
      for (const zone of this.#zones) found = zone(carried, { x, y }) ?? found;
      return found;
    };
    const move = (event: PointerEvent) => {
      const far = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) >= slack;
      if (!far && !this.isActive) return;
      this.isActive = this.wasDrag = true;
      find(event);
    };
    const up = (event: PointerEvent) => {
      const to = this.isActive ? find(event) : undefined;
      end();
      if (typeof to === 'string') carried.refuse(to);
      else if (to) carried.drop(to);
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !this.isActive) return;
      event.preventDefault();
      event.stopPropagation();
      end();
    };
    const end = () => {
      this.#end = undefined;
      this.isActive = false;
      for (const zone of this.#zones) zone(undefined, { x: 0, y: 0 });
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', end);
      window.removeEventListener('keydown', key, true);
    };
    this.#end = end;
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', end);
    window.addEventListener('keydown', key, true);
  }
}
