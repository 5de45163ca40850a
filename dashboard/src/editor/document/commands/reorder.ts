import { isFixed } from '../apply';
import { nodeOf, slotOf } from '../document';
import type { Command, Editor } from '../editor';
import { labels } from '../words';
import { layersIn } from './faces';
import { inOrder, layersTo } from './move';

/** Moves the selected layers, which stand in one place, past the next one before or behind them. */
function reorder(id: string, keys: string, by: -1 | 1): Command<undefined> {
  return {
    id,
    keys,
    when(editor) {
      const nodes = inOrder(editor, editor.selection.nodes);
      if (nodes.length === 0) return 'Select a layer to move';
      const places = nodes.map((one) => editor.document.parents.get(one)!);
      if (places.some((place) => place.parent !== places[0]!.parent || place.slot !== places[0]!.slot))
        return 'Select layers that stand in one place';
      const node = nodeOf(editor.document, nodes[0]!)!;
      if (isFixed(node) || !slotOf(node.parent!.kind, node.slot)!.list) return 'A header, body or footer has its place';
      return neighbor(editor, by) !== undefined || `It is the ${by < 0 ? 'first' : 'last'} already`;
    },
    build(editor) {
      const nodes = inOrder(editor, editor.selection.nodes);
      const { parent, slot } = editor.document.parents.get(nodes[0]!)!;
      const there = siblings(editor);
      const past = neighbor(editor, by)!;
      const after = by > 0 ? past : (there[there.indexOf(past) - 1] ?? null);
      return {
        step: {
          name: `Move ${labels(editor.document, nodes)}`,
          operations: layersTo(editor, nodes, { parent, slot, after }),
        },
      };
    },
  };
}

function siblings(editor: Editor): string[] {
  const node = nodeOf(editor.document, editor.selection.nodes[0]!)!;
  return layersIn(node.parent!)
    .filter((child) => child.slot === node.slot)
    .map((child) => child.id);
}

/** The layer before or behind those that are selected, which stand in one place; undefined where there is none. */
export function neighbor(editor: Editor, by: -1 | 1): string | undefined {
  const there = siblings(editor);
  const nodes = inOrder(editor, editor.selection.nodes);
  return by < 0 ? there[there.indexOf(nodes[0]!) - 1] : there[there.indexOf(nodes.at(-1)!) + 1];
}

export const moveUp = reorder('move-up', 'arrowup', -1);
export const moveDown = reorder('move-down', 'arrowdown', 1);
