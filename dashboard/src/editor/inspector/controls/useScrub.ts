import { type RefObject, useEffect, useRef } from 'react';
import { useEditing } from '../../useEditor';

type Scrub = {
  /** The number that a drag begins with. */
  begin: () => number;
  /** Is told how many steps from there it has come to. */
  move: (from: number, steps: number) => void;
};

/** So many pixels are a step. */
const pixels = 2;

/** From how many pixels on a press is a drag. */
const slack = 3;

/** How many steps a drag of so many pixels is; with Shift ten for one. */
export const stepsOf = (by: number, shift: boolean): number => Math.trunc(by / pixels) * (shift ? 10 : 1);

/** Lets the name of a number be dragged: its label, or the letter before it. All of a drag is one undo. */
export function useScrub(input: RefObject<HTMLInputElement | null>, scrub: Scrub) {
  const { editor } = useEditing();
  const latest = useRef(scrub);
  latest.current = scrub;
  useEffect(() => {
    const field = input.current!;
    const before = field.previousElementSibling;
    const name = (before instanceof HTMLElement ? before : undefined) ?? field.labels?.[0];
    if (!name) return;
    let start: { x: number; from: number; moved: boolean } | undefined;
    const down = (event: PointerEvent) => {
      if (event.button !== 0 || field.matches(':disabled') || (event.target as Element).closest('button')) return;
      start = { x: event.clientX, from: latest.current.begin(), moved: false };
      name.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
      if (!start) return;
      const by = event.clientX - start.x;
      if (!start.moved && Math.abs(by) < slack) return;
      // What was set before by other means is an undo of its own.
      if (!start.moved) editor.endGesture();
      start.moved = true;
      latest.current.move(start.from, stepsOf(by, event.shiftKey));
    };
    const end = () => {
      if (start?.moved) {
        editor.endGesture();
        // The click that follows would go into the field.
        name.addEventListener('click', (event) => event.preventDefault(), { once: true });
      }
      start = undefined;
    };
    name.dataset.scrub = '';
    name.addEventListener('pointerdown', down);
    name.addEventListener('pointermove', move);
    name.addEventListener('pointerup', end);
    name.addEventListener('pointercancel', end);
    return () => {
      delete name.dataset.scrub;
      name.removeEventListener('pointerdown', down);
      name.removeEventListener('pointermove', move);
      name.removeEventListener('pointerup', end);
      name.removeEventListener('pointercancel', end);
    };
  }, [input, editor]);
}
