import { allFree, distribute, fewToSpread } from '../document/commands/distribute';
import type { Editor } from '../document/editor';
import { type LayerView, lockedIn } from '../layerView';
import type { Editing } from '../useEditor';

/** Whether what is selected can be distributed: true, or why not, in words. */
export function mayDistribute(editor: Editor, layers: LayerView): true | string {
  if (!allFree(editor)) return distribute.when(editor, undefined);
  return lockedIn(editor, layers) ?? (editor.selection.nodes.length < 3 ? fewToSpread : true);
}

/** Distributes what is selected: over its stack, or where it stands free by what the canvas measures, on an axis or on that
 * on which the layers follow each other. */
export function distributeSelected(
  { editor, layerView, spread }: Pick<Editing, 'editor' | 'layerView' | 'spread'>,
  axis?: 'x' | 'y',
): true | string {
  const may = mayDistribute(editor, layerView);
  if (may !== true || !allFree(editor)) return may === true ? editor.run(distribute, undefined) : may;
  return spread.current?.(axis) ?? 'The canvas is not there yet';
}
