import { nodeOf } from '../document';
import type { Command, Editor } from '../editor';
import { label } from '../words';
import { isFree, stackOf } from './align';
import { layersIn } from './faces';

export const fewToSpread = 'Select three layers or more to distribute';

/** Whether all that is selected stands free of the others: those are distributed by where the canvas has them. */
export const allFree = ({ document, selection }: Editor): boolean =>
  selection.nodes.length > 0 && selection.nodes.every((id) => isFree(nodeOf(document, id)!.object));

/** Spreads the layers of the selected stack, or of the one around the selected layers, over its whole length: the first at
 * its start, the last at its end, as much between any two. */
export const distribute: Command<undefined> = {
  id: 'distribute',
  keys: 'shift+d',
  when(editor) {
    const stack = stackOf(editor);
    if (typeof stack === 'string') return stack.replace('to align', 'to distribute');
    if (layersIn(stack).length < 2) return 'There is one layer only to distribute';
    return stack.object.distribution === 'between' ? 'These layers are distributed already' : true;
  },
  build(editor) {
    const stack = stackOf(editor);
    if (typeof stack === 'string') throw new Error(stack);
    const name = `Distribute what is in ${label(editor.document, stack.id)}`;
    return {
      step: { name, operations: [{ op: 'set', node: stack.id, path: ['distribution'], value: 'between' }] },
    };
  },
};
