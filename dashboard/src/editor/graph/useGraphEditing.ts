import { type FinalConnectionState, type NodeChange, useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useMemo, useState } from 'react';
import { addStep } from '../document/commands/addStep';
import { connect, disconnect } from '../document/commands/connect';
import { moveSteps } from '../document/commands/placeSteps';
import { end } from '../document/exits';
import type { NodeId } from '../document/operation';
import { useEditing } from '../useEditor';
import type { Added } from './AddStep';
import type { Position } from './model';
import type { StepNode } from './Step';

/** A way out that was dropped where no step is, in pixels of the graph's box. */
export type Dropped = Position & { exit: string };

const arrows = 'arrow keys in the graph';
const nowhere: ReadonlyMap<NodeId, Position> = new Map();

/** What dragging and keys do to the graph. `held` is where dragged steps are until they are let go. */
export function useGraphEditing(box: RefObject<HTMLElement | null>) {
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
    return {
      held,
      dropped,
      onMoves,
      onConnectEnd,
      closeDrop: () => drop(undefined),
      /** Adds a step where a way was dropped. */
      addDropped(kind: Added, { exit, ...at }: Dropped) {
        const { x, y } = toFlow(at);
        say(editor.run(addStep, { kind, on: exit, at: { x, y: y - 20 } }));
      },
      endDropped: ({ exit }: Dropped) => say(editor.run(connect, { exit, to: end })),
      /** Adds a step on a way; without one by itself, in the middle of what is seen. */
      add(kind: Added, on: string | undefined) {
        const { width, height } = box.current!.getBoundingClientRect();
        const at = on === undefined ? toFlow({ x: width / 2 - 100, y: height / 2 - 50 }) : undefined;
        say(editor.run(addStep, { kind, on, at }));
      },
      disconnect: (exit: string) => say(editor.run(disconnect, { exit })),
    };
  }, [held, dropped, onMoves, onConnectEnd, editor, say, flow, box]);
}

const whole = ({ x, y }: Position): Position => ({ x: Math.round(x), y: Math.round(y) });
