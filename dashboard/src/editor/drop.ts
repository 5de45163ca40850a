import { layersIn } from './document/commands/faces';
import { move, type Target } from './document/commands/move';
import { type Found, nodeOf, slotsOf } from './document/document';
import type { Editor } from './document/editor';
import type { NodeId } from './document/operation';
import { screenOf } from './document/selection';
import { nameOf } from './names';
import { layersOf, rivalOf } from './rivals';

/** Where layers that are dragged would go. */
export type Place = Target & { after: NodeId | null };

/** The slot of a layer that holds other layers. */
export const slotFor = (kind: string): string | undefined =>
  slotsOf(kind).find(([, slot]) => slot.list && slot.holds === 'layer')?.[0];

/** The layers directly in a node that don't move, in the order in which they show. */
export function staying(node: Found, moved: readonly NodeId[]): Found[] {
  return layersIn(node).filter(({ id }) => !moved.includes(id));
}

/** Tells whether layers can go to a place: true, or why not, in words to show. */
export function mayDrop(editor: Editor, nodes: readonly NodeId[], to: Place): true | string {
  const { document } = editor;
  const screen = screenOf(document, to.parent);
  const others = nodes.flatMap((id) => (screenOf(document, id) === screen ? [] : (nodeOf(document, id) ?? [])));
  for (const node of screen === null ? [] : others)
    for (const { kind } of [node, ...layersOf(node)]) {
      const rival = rivalOf(editor, kind, screen!, to.parent);
      if (rival) return rival;
    }
  return move.when(editor, { nodes, to });
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
