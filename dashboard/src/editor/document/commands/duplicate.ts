import { isFixed } from '../apply';
import { nodeOf } from '../document';
import type { Command, Editor, NewId } from '../editor';
import { whyLocked } from '../locked';
import type { JsonObject, NodeId, Operation } from '../operation';
import { labels } from '../words';
import { copyNodes } from './copies';
import { bindingOf, isElse } from './faces';
import { freeKey, optionsOf } from './fields';
import { inOrder } from './move';

/** Puts a copy behind each of the selected layers; of an option's face the option is copied with it. */
export const duplicate: Command<undefined> = {
  id: 'duplicate',
  keys: 'mod+d',
  when(editor) {
    const { nodes } = editor.selection;
    if (nodes.length === 0) return 'Select a layer to duplicate';
    for (const id of nodes) {
      const node = nodeOf(editor.document, id)!;
      if (isFixed(node) || node.slot === 'header' || node.slot === 'footer')
        return 'A screen has one header, one body and one footer';
      if (node.slot === 'screens' || !('kind' in node.object)) return 'Only layers are duplicated here';
      const locked = whyLocked(editor, node.parent!.id);
      if (locked) return locked;
      if (isElse(editor.document, id)) return 'A condition has one layer that it shows otherwise';
    }
    return true;
  },
  build(editor, _, newId) {
    const nodes = inOrder(editor, editor.selection.nodes);
    const made = nodes.map((id) => copyBehind(editor, id, newId));
    return {
      step: { name: `Duplicate ${labels(editor.document, nodes)}`, operations: made.flatMap((one) => one.operations) },
      select: { nodes: made.map((one) => one.id) },
    };
  },
};

/** Lists what puts a copy of a layer behind it, with an option of its own when it is the face of one. */
export function copyBehind(editor: Editor, id: NodeId, newId: NewId): { id: NodeId; operations: Operation[] } {
  const node = nodeOf(editor.document, id)!;
  const parent = node.parent!;
  const [copy] = copyNodes(editor, [node], newId).objects;
  const operations: Operation[] = [
    { op: 'insert', parent: parent.id, slot: node.slot, subtree: copy!, after: id, before: null },
  ];
  const binding = bindingOf(editor.document, id);
  if (binding) {
    const { object } = binding.item;
    const key: JsonObject =
      binding.slot === 'cases'
        ? { id: newId('case') }
        : { optionId: freeKey(String(object.optionId), optionsOf(parent.object)) };
    const subtree = { ...object, ...key, rootLayerId: copy!.id! };
    operations.push({ op: 'insert', parent: parent.id, slot: binding.slot, subtree, after: binding.id, before: null });
  }
  return { id: String(copy!.id), operations };
}
