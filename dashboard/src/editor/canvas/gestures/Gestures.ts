import type { Handled } from '../handled';
import { type Handle, handleAt } from '../handles';
import type { Gesture, GestureMarks, Pointer, Stage } from './gesture';
import { handle, hug } from './handle';
import { pan } from './pan';
import { press, targetOf } from './press';
import { freeOf, nudge } from './shift';

const arrows: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

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
    // With ⌥ what can be dragged is, all else pans.
    if (handled && at && (pointer.alt || !pointer.pans)) this.#current = handle(stage, pointer, handled, at);
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

  /** A double click on a handle of a size; false where there is none, or nothing to change. */
  twice(pointer: Pointer): boolean {
    const { handled, at } = this.#handle(pointer);
    return !!handled && at?.is === 'size' && hug(this.stage(), handled, at);
  }

  /** An arrow key moves what stands free, by a pixel of the screen or with ⇧ by ten; false for any other. */
  key({ key, shiftKey }: { key: string; shiftKey: boolean }): boolean {
    const stage = this.stage();
    const layers = arrows[key] && stage.canEdit && !this.isActive ? freeOf(stage) : [];
    if (layers.length === 0) return false;
    const [x, y] = arrows[key]!.map((one) => one * (shiftKey ? 10 : 1));
    nudge(stage, layers, { x: x!, y: y! });
    return true;
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
