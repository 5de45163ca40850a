import { isFixed } from '../apply';
import { nodeOf } from '../document';
import type { Command, Editor } from '../editor';
import type { NodeId, Operation } from '../operation';
import { labels } from '../words';
import { bindingOf, isElse } from './faces';
import { inOrder } from './move';

/** Removes the selected layers; with the face of an option goes the option. */
export const remove: Command<undefined> = {
  id: 'remove',
  keys: 'backspace',
  when(editor) {
    const { nodes } = editor.selection;
    if (nodes.length === 0) return 'Select a layer to remove';
    const { document } = editor;
    for (const id of nodes) {
      if (document.parents.get(id)?.slot === 'screens') return 'Screens are removed in the list of screens';
      if (isFixed(nodeOf(document, id)!)) return 'A screen keeps its body';
      if (isElse(document, id)) return 'A condition keeps what it shows otherwise';
    }
    return true;
  },
  build(editor) {
    const nodes = inOrder(editor, editor.selection.nodes);
    return {
      step: {
        name: `Remove ${labels(editor.document, nodes)}`,
        operations: nodes.flatMap((id) => removal(editor, id)),
      },
      select: { screen: editor.selection.screen },
    };
  },
};

/** Lists what removes a layer, with the option or case that shows it. */
export function removal(editor: Editor, id: NodeId): Operation[] {
  const binding = bindingOf(editor.document, id);
  const own: Operation = { op: 'remove', node: id };
  return binding ? [{ op: 'remove', node: binding.id }, own] : [own];
}
