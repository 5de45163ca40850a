import { childrenOf, nodeOf } from '../document';
import type { Command } from '../editor';
import type { JsonObject, NodeId, Operation } from '../operation';
import { label } from '../words';
import { optionFace } from './defaults';
import { copyBehind } from './duplicate';
import { freeKey, optionsOf } from './fields';

/** Adds an option to a question, behind another one or last: in a choice a copy of that one, which is a layer and its
 * binding; in a wheel an item. */
export const addOption: Command<{ node: NodeId; after?: NodeId }> = {
  id: 'add-option',
  when(editor, { node: id }) {
    const node = nodeOf(editor.document, id);
    if (!node) return 'The question was removed';
    if (node.kind === 'wheel_picker') return node.object.mode !== 'date' || 'A wheel of dates has no options';
    return /^(single|multiple)_choice$/.test(node.kind) || 'Only choices and wheels have options';
  },
  build(editor, { node: id, after }, newId) {
    const node = nodeOf(editor.document, id)!;
    const name = `Add an option to ${label(editor.document, id)}`;
    const free = freeKey(`option_${optionsOf(node.object).size + 1}`, optionsOf(node.object));
    const words = `Option ${optionsOf(node.object).size + 1}`;
    const insert = (slot: string, subtree: JsonObject, anchor: NodeId | null): Operation => {
      return { op: 'insert', parent: id, slot, subtree, after: anchor, before: null };
    };
    if (node.kind === 'wheel_picker') {
      const item = { optionId: free, label: { default: words } };
      const operations = [insert('options', item, after ?? null)];
      return { step: { name, operations }, select: { nodes: [`${id}/options/${free}`] } };
    }
    const bindings = childrenOf(node).filter((child) => child.slot === 'optionBindings');
    const roots = new Set(bindings.map((binding) => binding.object.rootLayerId));
    const last = after ?? childrenOf(node).findLast((child) => child.slot === 'children' && roots.has(child.id))?.id;
    if (last !== undefined) {
      const copy = copyBehind(editor, last, newId);
      return { step: { name, operations: copy.operations }, select: { nodes: [copy.id] } };
    }
    const face = optionFace({ newId, key: (wanted) => wanted }, words);
    const binding = { optionId: free, rootLayerId: face.id! };
    const operations = [insert('children', face, null), insert('optionBindings', binding, null)];
    return { step: { name, operations }, select: { nodes: [String(face.id)] } };
  },
};
