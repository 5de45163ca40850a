import type { Handled } from '../handled';
import { type Handle, handleAt } from '../handles';
import type { Gesture, GestureMarks, Pointer, Stage } from './gesture';
import { handle } from './handle';
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
    const stage = this.stage();
    const { handled, at } = this.#handle(pointer);
    if (handled && at) this.#current = handle(stage, pointer, handled, at);
    else this.#current = pointer.pans ? pan(stage, pointer) : press(stage, pointer);
  }

  move(pointer: Pointer) {
    if (this.#current) this.#current = this.#current.move(pointer);
    else
      this.#hovered = {
        hovered: targetOf(this.stage(), this.stage().under(pointer.point).path, pointer.mod),
        handle: this.#handle(pointer).at,
      };
  }

  /** Tells that other keys are held. */
  keys(keys: Pick<Pointer, 'alt' | 'shift'>) {
    this.#current = this.#current?.keys?.(keys) ?? this.#current;
  }

  #handle({ point }: Pointer): { handled?: Handled | undefined; at?: Handle | undefined } {
    const stage = this.stage();
    const [id, ...others] = stage.editor.selection.nodes;
    const handled = id !== undefined && others.length === 0 && stage.canEdit ? stage.handled(id) : undefined;
    return { handled, at: handled && handleAt(handled.handles, point) };
  }

  up(pointer: Pointer) {
    const current = this.#current;
    this.#current = undefined;
    current?.up(pointer);
  }

  /** Ends it without a change: Escape, or the pointer is gone. */
  cancel() {
    this.#current?.cancel?.();
    this.#current = undefined;
    this.#hovered = {};
  }
}
