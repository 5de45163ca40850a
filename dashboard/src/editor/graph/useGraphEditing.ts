import { type FinalConnectionState, type NodeChange, useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useMemo, useState } from 'react';
import { addStep } from '../document/commands/addStep';
import { connect, disconnect } from '../document/commands/connect';
import { moveSteps } from '../document/commands/placeSteps';
import { end } from '../document/exits';
import type { NodeId } from '../document/operation';
import { useEditing } from '../useEditor';
import type { Added } from './AddStep';
import { type Box, sizeOf, spotNear } from './layout';
import type { Position } from './model';
import type { StepNode } from './Step';

/** A way out that was dropped where no step is, in pixels of the graph's box. */
export type Dropped = Position & { exit: string };

const arrows = 'arrow keys in the graph';
const nowhere: ReadonlyMap<NodeId, Position> = new Map();

/** How many ways a new step has: a paywall one for each outcome. */
const rowsOf: Record<Added, number> = { screen: 1, decision: 2, surface: 6 };

/** What dragging and keys do to the graph. `held` is where dragged steps are until they are let go; `boxes` lists where
 * steps stand. */
export function useGraphEditing(box: RefObject<HTMLElement | null>, boxes: () => readonly Box[]) {
  const { editor, say } = useEditing();
  const flow = useReactFlow();
  const [held, hold] = useState(nowhere);
  const [dropped, drop] = useState<Dropped>();

  const onMoves = useCallback(
    (changes: readonly NodeChange<StepNode>[]) => {
      const moves = changes.filter((change) => change.type === 'position').filter(({ position }) => position);
      if (moves.length === 0) return;
      const places = new Map(moves.map(({ id, position }) => [id, whole(position!)]));
      if (moves.some(({ dragging }) => dragging)) return hold(places);
      hold(nowhere);
      // Key presses in a row are one step to undo; they end when the key is let go.
      say(editor.run(moveSteps, { places, gesture: arrows }));
    },
    [editor, say],
  );
  const onConnectEnd = useCallback(
    (event: MouseEvent | TouchEvent, { fromHandle, fromNode }: FinalConnectionState) => {
      if (!fromHandle?.id || fromHandle.type !== 'source') return;
      const { clientX, clientY } = 'changedTouches' in event ? event.changedTouches[0]! : event;
      const target = document.elementFromPoint(clientX, clientY);
      const step = target?.closest<HTMLElement>('.react-flow__node')?.dataset.id;
      const { left, top } = box.current!.getBoundingClientRect();
      if (step !== undefined) {
        if (step !== fromNode?.id) say(editor.run(connect, { exit: fromHandle.id, to: step }));
      } else if (target?.closest('.react-flow__pane, .react-flow__edges'))
        drop({ exit: fromHandle.id, x: clientX - left, y: clientY - top });
    },
    [editor, say, box],
  );
  return useMemo(() => {
    const toFlow = ({ x, y }: Position) => {
      const { left, top } = box.current!.getBoundingClientRect();
      return whole(flow.screenToFlowPosition({ x: x + left, y: y + top }));
    };
    /** Adds a step by itself or on a way, near a point of the graph, where it covers no other, and shows it. */
    const addAt = (kind: Added, on: string | undefined, at: Position) => {
      const size = sizeOf({ kind, words: '', rows: Array(rowsOf[kind]).fill(undefined) });
      const spot = spotNear(at, size, boxes());
      say(editor.run(addStep, { kind, on, at: whole(spot) }));
      const { left, top, width, height } = box.current!.getBoundingClientRect();
      const { x, y } = flow.flowToScreenPosition(spot);
      const zoom = flow.getZoom();
      const isSeen =
        x >= left && y >= top && x + size.width * zoom <= left + width && y + size.height * zoom <= top + height;
      if (!isSeen) void flow.setCenter(spot.x + size.width / 2, spot.y + size.height / 2, { zoom });
    };
    return {
      held,
      dropped,
      onMoves,
      onConnectEnd,
      closeDrop: () => drop(undefined),
      /** Adds a step where a way was dropped. */
      addDropped(kind: Added, { exit, ...at }: Dropped) {
        const { x, y } = toFlow(at);
        addAt(kind, exit, { x, y: y - 20 });
      },
      endDropped: ({ exit }: Dropped) => say(editor.run(connect, { exit, to: end })),
      /** Adds a step on a way; without one by itself, in the middle of what is seen. */
      add(kind: Added, on: string | undefined) {
        if (on !== undefined) return say(editor.run(addStep, { kind, on }));
        const { width, height } = box.current!.getBoundingClientRect();
        addAt(kind, undefined, toFlow({ x: width / 2 - 100, y: height / 2 - 50 }));
      },
      disconnect: (exit: string) => say(editor.run(disconnect, { exit })),
    };
  }, [held, dropped, onMoves, onConnectEnd, editor, say, flow, box, boxes]);
}

const whole = ({ x, y }: Position): Position => ({ x: Math.round(x), y: Math.round(y) });
