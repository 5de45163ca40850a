import { childrenOf, isInside, nodeOf, slotOf } from '../document';
import type { Command, Editor } from '../editor';
import type { NodeId, Operation } from '../operation';
import { checkPlace } from '../place';
import { valid } from '../selection';
import { label } from '../words';

/** Where a drop goes: into a slot of a node, behind `after`; null puts it first, undefined last. */
export type Target = { parent: NodeId; slot: string; after?: NodeId | null };

/** Moves nodes to one place, in the order that they have in the document. */
export const move: Command<{ nodes: readonly NodeId[]; to: Target; gesture?: string }> = {
  id: 'move',
  when(editor, { nodes, to }) {
    if (nodes.length === 0) return 'Select a layer to move';
    const parent = nodeOf(editor.document, to.parent);
    if (!parent) return 'The place was removed';
    for (const id of nodes) {
      const node = nodeOf(editor.document, id);
      if (!node) return 'What is moved was removed';
      if (isInside(editor.document, to.parent, id)) return `${label(editor.document, id)} can't go inside itself`;
      const holds = slotOf(node.parent?.kind ?? '', node.slot)?.holds ?? '';
      if (checkPlace(parent, to.slot, holds, node)) return `${label(editor.document, id)} can't stand there`;
    }
    return true;
  },
  build(editor, { nodes, to, gesture }) {
    const moved = inOrder(editor, nodes);
    const names = moved.length === 1 ? label(editor.document, moved[0]!) : `${moved.length} layers`;
    return {
      step: { name: `Move ${names}`, operations: movesTo(editor, moved, to) },
      select: { nodes: moved },
      gesture,
    };
  },
};

/** Lists operations that put nodes one behind the other. */
export function movesTo(editor: Editor, nodes: readonly NodeId[], { parent, slot, after }: Target): Operation[] {
  const place = nodeOf(editor.document, parent)!;
  const there = childrenOf(place)
    .filter((child) => child.slot === slot && !nodes.includes(child.id))
    .map((child) => child.id);
  // An anchor that moves itself is no anchor: what stood before it is.
  const all = childrenOf(place).filter((child) => child.slot === slot);
  let anchor = after === undefined ? (there.at(-1) ?? null) : after;
  while (anchor !== null && nodes.includes(anchor)) {
    const at = all.findIndex((child) => child.id === anchor);
    anchor = all[at - 1]?.id ?? null;
  }
  return nodes.map((node, i) => {
    const last = i === 0 ? anchor : nodes[i - 1]!;
    const before = last === null ? (there[0] ?? null) : null;
    return { op: 'move', node, parent, slot, after: last, before };
  });
}

/** Lists nodes in the order of the document, those inside others of them left out. */
export function inOrder(editor: Editor, nodes: readonly NodeId[]): NodeId[] {
  return valid(editor.document, { screen: null, nodes })
    .nodes.map((id) => ({ id, path: pathOf(editor, id) }))
    .sort((a, b) => comparePaths(a.path, b.path))
    .map((one) => one.id);
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Returns the indexes of a node and of those around it, the outermost first. */
function pathOf(editor: Editor, id: NodeId): number[] {
  const node = nodeOf(editor.document, id);
  if (!node?.parent) return [];
  return [...pathOf(editor, node.parent.id), childrenOf(node.parent).findIndex((child) => child.id === id)];
}
