import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { move as moveLayers } from '../document/commands/move';
import type { NodeId } from '../document/operation';
import type { Place } from '../drop';
import { useEditing } from '../useEditor';
import { dropOnRow, type RowDrop } from './drop';
import type { Row } from './rows';

/** How much further in a row is for each level, in pixels. */
export const indent = 14;

type Press = { x: number; y: number; id: NodeId; nodes?: readonly NodeId[] };

/** Drags rows of the tree: the one that is pressed, or all that are selected when it is one of them. */
export function useRowDrag(rows: readonly Row[], list: RefObject<HTMLElement | null>) {
  const { editor, say, carry } = useEditing();
  const [drop, setDrop] = useState<RowDrop>();
  const press = useRef<Press>(undefined);
  const dragged = useRef(false);

  /** The row under the pointer; below the last one it is the last. */
  const find = (
    { clientX, clientY }: { clientX: number; clientY: number },
    nodes: readonly NodeId[],
    may?: (to: Place) => true | string,
  ) => {
    const all = [...list.current!.querySelectorAll('[role=treeitem]')].map((row) => row.getBoundingClientRect());
    const index = all.findIndex((box) => clientY < box.bottom);
    const at = index < 0 ? all.length - 1 : index;
    const box = all[at];
    if (!box) return undefined;
    const rtl = getComputedStyle(list.current!).direction === 'rtl';
    const from = rtl ? box.right - clientX : clientX - box.left;
    const share = Math.min(1, Math.max(0, (clientY - box.top) / box.height));
    return dropOnRow(editor, nodes, rows, at, share, Math.round((from - 12) / indent), may);
  };
  /** What is new is dragged from elsewhere. */
  const latest = useRef(find);
  latest.current = find;
  useEffect(
    () =>
      carry.join((carried, { x, y }) => {
        const panel = list.current?.closest('section')?.getBoundingClientRect();
        const isOver = panel && x >= panel.left && x < panel.right && y >= panel.top && y < panel.bottom;
        const found = carried && isOver ? latest.current({ clientX: x, clientY: y }, [], carried.may) : undefined;
        setDrop(placed(found));
        return typeof found === 'string' ? found : found?.to;
      }),
    [carry, list],
  );
  const end = () => {
    press.current = undefined;
    setDrop(undefined);
  };
  return {
    drop,
    press: (event: PointerEvent, id: NodeId) => {
      dragged.current = false;
      if (event.button === 0) press.current = { x: event.clientX, y: event.clientY, id };
    },
    move: (event: PointerEvent<HTMLElement>) => {
      const start = press.current;
      if (!start) return;
      if (!start.nodes) {
        if (Math.hypot(event.clientX - start.x, event.clientY - start.y) < 3) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        dragged.current = true;
        if (!editor.selection.nodes.includes(start.id)) editor.select({ nodes: [start.id] });
        start.nodes = editor.selection.nodes;
      }
      setDrop(placed(find(event, start.nodes)));
    },
    release: (event: PointerEvent) => {
      const nodes = press.current?.nodes;
      const found = nodes && find(event, nodes);
      if (typeof found === 'string') say(`It was not moved. ${found}.`);
      else if (found) say(editor.run(moveLayers, { nodes, to: found.to }));
      end();
    },
    cancel: end,
    /** Whether the click that follows was a drag. */
    wasDrag: () => dragged.current,
  };
}

const placed = (found: RowDrop | string | undefined) => (typeof found === 'string' ? undefined : found);
