import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useStable } from '../../ui/useStable';
import type { NodeId } from '../document/operation';

/** How far the pointer goes before a press is a drag, in pixels. */
const slack = 4;

/** Drags rows of the list of screens. `drop` is the index of the row above which what is dragged would go. */
export function useScreenDrag(
  ids: readonly NodeId[],
  list: RefObject<HTMLElement | null>,
  move: (screen: NodeId, after: NodeId | null) => void,
) {
  const [drop, setDrop] = useState<number>();
  const press = useRef<{ y: number; id: NodeId; drags: boolean }>(undefined);
  const dragged = useRef(false);

  const find = ({ clientY }: PointerEvent): number => {
    const rows = [...list.current!.children].map((row) => row.getBoundingClientRect());
    const at = rows.findIndex(({ top, height }) => clientY < top + height / 2);
    return at < 0 ? rows.length : at;
  };
  const end = () => {
    press.current = undefined;
    setDrop(undefined);
  };
  useEffect(() => {
    if (drop === undefined) return;
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      press.current = undefined;
      setDrop(undefined);
    };
    window.addEventListener('keydown', cancel, true);
    return () => window.removeEventListener('keydown', cancel, true);
  }, [drop]);
  const dragging = useStable({
    press: (event: PointerEvent, id: NodeId) => {
      dragged.current = false;
      if (event.button === 0) press.current = { y: event.clientY, id, drags: false };
    },
    move: (event: PointerEvent<HTMLElement>) => {
      const start = press.current;
      if (!start) return;
      if (!start.drags) {
        if (Math.abs(event.clientY - start.y) < slack) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.drags = true;
        dragged.current = true;
      }
      setDrop(find(event));
    },
    release: (event: PointerEvent) => {
      const start = press.current;
      if (start?.drags) {
        const others = ids.slice(0, find(event)).filter((id) => id !== start.id);
        const after = others.at(-1) ?? null;
        if (ids[ids.indexOf(start.id) - 1] !== (after ?? undefined)) move(start.id, after);
      }
      end();
    },
    cancel: end,
    /** Whether the click that follows was a drag. */
    wasDrag: () => dragged.current,
  });
  return { drop, dragging };
}
