import { childrenOf, nodeOf, slotOf } from '../document';
import type { Command, Editor } from '../editor';
import type { JsonObject, NodeId, Operation } from '../operation';
import { label, labels } from '../words';
import { bindingOf, isElse } from './faces';
import { inOrder, movesTo } from './move';

/** Puts the selected layers, which stand in one place, into a stack of their own there. */
export const wrap: Command<undefined> = {
  id: 'wrap',
  keys: 'mod+g',
  when: (editor) => canWrap(editor, editor.selection.nodes),
  build(editor, _, newId) {
    const nodes = inOrder(editor, editor.selection.nodes);
    const id = newId('lyr');
    const first = nodeOf(editor.document, nodes[0]!)!;
    const { direction, gap } = first.parent!.object;
    const stack = { id, kind: 'stack', direction: direction ?? 'vertical', ...(gap === undefined ? {} : { gap }) };
    const operations = [
      insertBefore(first.parent!.id, first.slot, nodes[0]!, { ...stack, children: [] }),
      ...nodes.map((node, i): Operation => {
        return { op: 'move', node, parent: id, slot: 'children', after: nodes[i - 1] ?? null, before: null };
      }),
    ];
    return { step: { name: `Wrap ${labels(editor.document, nodes)} in a stack`, operations }, select: { nodes: [id] } };
  },
};

/** Tells whether a layer of another kind can take the place of layers, with them inside it. */
export function canWrap(editor: Editor, nodes: readonly NodeId[], kind = 'stack'): true | string {
  const places = new Set(nodes.map((id) => editor.document.parents.get(id)?.parent));
  if (nodes.length === 0) return 'Select the layers to wrap';
  if (places.size > 1) return 'Select layers that stand in one place';
  for (const id of nodes) {
    const node = nodeOf(editor.document, id)!;
    const slot = slotOf(node.parent?.kind ?? '', node.slot);
    if (slot?.holds !== 'layer') return 'Only layers can be wrapped';
    if (!slot.list) return 'A header, body or footer is a stack already';
    if (slot.kinds && !slot.kinds.includes(kind))
      return `${label(editor.document, id)} can't be wrapped where it stands`;
    if (bindingOf(editor.document, id) || isElse(editor.document, id)) return 'Wrap what is inside it instead';
  }
  return true;
}

export function insertBefore(parent: NodeId, slot: string, before: NodeId, subtree: JsonObject): Operation {
  return { op: 'insert', parent, slot, subtree, after: null, before };
}

/** Puts what stands in the selected stack into its place. */
export const unwrap: Command<undefined> = {
  id: 'unwrap',
  keys: 'mod+shift+g',
  when(editor) {
    const [id, ...more] = editor.selection.nodes;
    const node = id === undefined ? undefined : nodeOf(editor.document, id);
    if (!node || more.length > 0) return 'Select one stack to unwrap';
    if (node.kind !== 'stack') return 'Only stacks can be unwrapped';
    const slot = slotOf(node.parent!.kind, node.slot)!;
    if (!slot.list) return 'A screen keeps its header, body and footer';
    if (bindingOf(editor.document, node.id) || isElse(editor.document, node.id))
      return 'An option or branch is one stack';
    const { kinds } = slot;
    const inside = childrenOf(node).filter((child) => child.slot === 'children');
    if (kinds && inside.some((child) => !kinds.includes(child.kind))) return 'Its layers can only stand in a stack';
    return true;
  },
  build(editor) {
    const node = nodeOf(editor.document, editor.selection.nodes[0]!)!;
    const parent = node.parent!;
    const inside = childrenOf(node).filter((child) => child.slot === 'children');
    const ids = inside.map((child) => child.id);
    return {
      step: {
        name: `Unwrap ${label(editor.document, node.id)}`,
        operations: [
          ...movesTo(editor, ids, { parent: parent.id, slot: node.slot, after: node.id }),
          { op: 'remove', node: node.id },
        ],
      },
      select: ids.length > 0 ? { nodes: ids } : { screen: editor.selection.screen },
    };
  },
};
