import { nodeOf } from '../../document/document';
import type { NodeId } from '../../document/operation';
import { pathTo } from '../../screens';
import { clicked } from '../hit';
import { drag } from './drag';
import type { Gesture, Pointer, Stage } from './gesture';
import { marquee } from './marquee';
import { freeOf, shift } from './shift';

/** From how many pixels on a press is a drag. */
const slack = 3;

/** A press selects at once. What is dragged from it is the selection; from where there is no layer to move, a marquee. */
export function press(stage: Stage, start: Pointer): Gesture {
  const { editor } = stage;
  const before = editor.selection;
  const { screen, path } = stage.under(start.point);
  const id = targetOf(stage, path, start.mod);
  const within = path.find((one) => before.nodes.includes(one));
  const moves = id !== undefined && !isRegion(stage, id);
  // Of several that are selected one is only left alone, or left out with ⇧, when the press turns out to be no drag.
  const waits = within !== undefined && (start.shift ? within === id : before.nodes.length > 1);
  const choose = (id: NodeId) => editor.select({ nodes: start.shift ? toggled(before.nodes, id) : [id] });
  if (!waits && id !== undefined) choose(id);
  else if (!waits) editor.select({ screen: screen ?? null });
  const state: Gesture = {
    marks: {},
    move(pointer) {
      if (Math.hypot(pointer.point.x - start.point.x, pointer.point.y - start.point.y) < slack) return state;
      if (!moves && !waits) return marquee(stage, start, screen, start.shift ? before.nodes : []).move(pointer);
      const { nodes } = editor.selection;
      if (!stage.canEdit || nodes.length === 0 || nodes.some(stage.locked)) return state;
      // What stands free is moved, but with the command key to another place in the tree.
      const free = start.mod ? [] : freeOf(stage);
      return (free.length > 0 ? shift(stage, start, free) : drag(stage, start)).move(pointer);
    },
    up() {
      if (waits && id !== undefined) choose(id);
    },
  };
  return state;
}

/** Which layer the pointer means: with the command key the deepest. */
export function targetOf({ editor }: Stage, path: readonly NodeId[], mod: boolean): NodeId | undefined {
  const [first] = editor.selection.nodes;
  return mod ? path.at(-1) : clicked(path, first === undefined ? [] : pathTo(editor.document, first));
}

/** Whether a layer is the stack of a header, body or footer, which have their places. */
const isRegion = ({ editor }: Stage, id: NodeId) => nodeOf(editor.document, id)?.parent?.kind === 'screen';

export const toggled = (nodes: readonly NodeId[], id: NodeId): NodeId[] =>
  nodes.includes(id) ? nodes.filter((one) => one !== id) : [...nodes, id];
