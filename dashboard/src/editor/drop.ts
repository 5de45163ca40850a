import { layersIn } from './document/commands/faces';
import { move, type Target } from './document/commands/move';
import { type Found, nodeOf, slotsOf } from './document/document';
import type { Editor } from './document/editor';
import type { NodeId } from './document/operation';
import { nameOf } from './names';

/** Where layers that are dragged would go. */
export type Place = Target & { after: NodeId | null };

/** The slot of a layer that holds other layers. */
export const slotFor = (kind: string): string | undefined =>
  slotsOf(kind).find(([, slot]) => slot.list && slot.holds === 'layer')?.[0];

/** The layers directly in a node that don't move, in the order in which they show. */
export function staying(node: Found, moved: readonly NodeId[]): Found[] {
  return layersIn(node).filter(({ id }) => !moved.includes(id));
}

/** Tells whether layers can go to a place. */
export function mayDrop(editor: Editor, nodes: readonly NodeId[], to: Place): boolean {
  return move.when(editor, { nodes, to }) === true;
}

/** Names a place: "in Card, below Price". */
export function whereInWords(editor: Editor, nodes: readonly NodeId[], { parent, after }: Place): string {
  const node = nodeOf(editor.document, parent)!;
  const name = (one: Found) => nameOf(one.object, one.kind, one.slot);
  const there = staying(node, nodes);
  const across = node.object.direction === 'horizontal' || node.kind === 'carousel';
  const anchor = there.find(({ id }) => id === after);
  if (anchor) return `in ${name(node)}, ${across ? 'after' : 'below'} ${name(anchor)}`;
  const [first] = there;
  return first ? `in ${name(node)}, ${across ? 'before' : 'above'} ${name(first)}` : `in ${name(node)}`;
}
