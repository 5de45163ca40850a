import { useMemo } from 'react';
import type { Editor } from '../document/editor';
import { useEditorKeys } from './keys';

/** What keys do on the page. */
export function useShortcuts(editor: Editor, canEdit: boolean, zoomTo: (to: 'all' | 'selection' | number) => void) {
  const keys = useMemo(() => {
    const looking: Record<string, () => void> = {
      'mod+0': () => zoomTo(1),
      'mod+1': () => zoomTo('all'),
      'mod+2': () => zoomTo('selection'),
      escape: () => up(editor),
    };
    const editing: Record<string, () => void> = {
      'mod+z': () => void editor.undo(),
      'mod+shift+z': () => void editor.redo(),
    };
    return canEdit ? { ...looking, ...editing } : looking;
  }, [editor, canEdit, zoomTo]);
  useEditorKeys(keys);
}

/** Selects what stands around the selected layer: in the end the screen, then nothing. */
function up(editor: Editor) {
  const { nodes, screen } = editor.selection;
  const parent = nodes[0] === undefined ? undefined : editor.document.parents.get(nodes[0])?.parent;
  if (parent !== undefined && parent !== screen) editor.select({ nodes: [parent] });
  else if (nodes.length > 0) editor.select({ screen });
  else editor.select({});
}
