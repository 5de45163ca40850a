import type { Command } from '../editor';
import { label } from '../words';
import { stackOf } from './align';
import { layersIn } from './faces';

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
