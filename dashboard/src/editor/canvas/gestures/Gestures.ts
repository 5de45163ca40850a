import type { Gesture, GestureMarks, Pointer, Stage } from './gesture';
import { pan } from './pan';
import { press, targetOf } from './press';

/** What the pointer is doing on the canvas: nothing but to hover, or one of the states beside this file. */
export class Gestures {
  #current: Gesture | undefined;
  #hovered: GestureMarks = {};

  constructor(private readonly stage: () => Stage) {}

  get marks(): GestureMarks {
    return this.#current?.marks ?? this.#hovered;
  }

  /** Whether something is under way that the pointer began. */
  get isActive(): boolean {
    return this.#current !== undefined;
  }

  down(pointer: Pointer) {
    this.#current = pointer.pans ? pan(this.stage(), pointer) : press(this.stage(), pointer);
  }

  move(pointer: Pointer) {
    if (this.#current) this.#current = this.#current.move(pointer);
    else this.#hovered = { hovered: targetOf(this.stage(), this.stage().under(pointer.point).path, pointer.mod) };
  }

  up(pointer: Pointer) {
    const current = this.#current;
    this.#current = undefined;
    current?.up(pointer);
  }

  /** Ends it without a change: Escape, or the pointer is gone. */
  cancel() {
    this.#current = undefined;
    this.#hovered = {};
  }
}
