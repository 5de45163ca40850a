import { useMemo } from 'react';
import { move } from '../document/commands/move';
import { nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import type { NodeId } from '../document/operation';
import { layersIn } from '../layers/rows';
import { useEditorKeys } from './keys';

type Page = {
  editor: Editor;
  canEdit: boolean;
  zoomTo: (to: 'all' | 'selection' | number) => void;
  write: (id: NodeId) => void;
};

/** What keys do on the page. */
export function useShortcuts({ editor, canEdit, zoomTo, write }: Page) {
  const keys = useMemo(() => {
    const looking: Record<string, () => void> = {
      'mod+0': () => zoomTo(1),
      'mod+1': () => zoomTo('all'),
      'mod+2': () => zoomTo('selection'),
      escape: () => up(editor),
      'shift+enter': () => up(editor),
      enter: () => into(editor, canEdit ? write : undefined),
    };
    const editing: Record<string, () => void> = {
      'mod+z': () => void editor.undo(),
      'mod+shift+z': () => void editor.redo(),
      arrowup: () => reorder(editor, -1),
      arrowdown: () => reorder(editor, 1),
    };
    return canEdit ? { ...looking, ...editing } : looking;
  }, [editor, canEdit, zoomTo, write]);
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

/** Selects the first layer inside; writes in a text. */
function into(editor: Editor, write: ((id: NodeId) => void) | undefined) {
  const id = editor.selection.nodes[0] ?? editor.selection.screen;
  const node = id === null || id === undefined ? undefined : nodeOf(editor.document, id);
  if (!node) return;
  const [first] = layersIn(node);
  if (node.kind === 'text') write?.(node.id);
  else if (first) editor.select({ nodes: [first.id] });
}

/** Moves the selected layer one place on among those beside it. */
function reorder(editor: Editor, by: 1 | -1) {
  const [id] = editor.selection.nodes;
  const node = id === undefined ? undefined : nodeOf(editor.document, id);
  if (!node?.parent) return;
  const beside = layersIn(node.parent).filter(({ slot }) => slot === node.slot);
  const at = beside.findIndex((one) => one.id === node.id);
  const to = at + by;
  if (to < 0 || to >= beside.length) return;
  const after = (by === 1 ? beside[to] : beside[to - 1])?.id ?? null;
  editor.run(move, { nodes: [node.id], to: { parent: node.parent.id, slot: node.slot, after } });
}
