import type { Command } from '../editor';
import { remove } from './remove';

/** Removes the selected layers, which were copied before. */
export const cut: Command<undefined> = {
  ...remove,
  id: 'cut',
  keys: 'mod+x',
  when: (editor) => (editor.selection.nodes.length === 0 ? 'Select a layer to cut' : remove.when(editor, undefined)),
  build(editor, input, newId) {
    const { step, ...rest } = remove.build(editor, input, newId);
    return { step: { ...step, name: step.name.replace(/^Remove/, 'Cut') }, ...rest };
  },
};
