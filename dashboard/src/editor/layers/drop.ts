import { layersIn } from '../document/commands/faces';
import { isInside, nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import type { NodeId } from '../document/operation';
import { mayDrop, type Place, slotFor, staying, whereInWords } from '../drop';
import type { Row } from './rows';

/** Where a drop goes, in words too. It is shown by the row `into` that it goes, or by a line below the row `below`, -1
 * above the first, as far in as layers of its level are. */
export type RowDrop = { to: Place; where: string; into?: number; below?: number; level: number };

/** The place for layers that are dragged over a row: `share` of its height is above the pointer. In the middle of a row
 * it is inside of that. At the end of a group, `level` says behind which of the layers around.
 * Where it can't be, why, in words. */
export function dropOnRow(
  editor: Editor,
  nodes: readonly NodeId[],
  rows: readonly Row[],
  index: number,
  share: number,
  level: number,
  may = (to: Place) => mayDrop(editor, nodes, to),
): RowDrop | string | undefined {
  const row = rows[index];
  if (!row || nodes.some((id) => isInside(editor.document, row.id, id))) return undefined;
  const inside = (): RowDrop | undefined => into(editor, nodes, row, index);
  const above = (): RowDrop | undefined => beside(editor, nodes, row, row.level, index - 1, false);
  const below = (): RowDrop | undefined => {
    if (row.open) return first(editor, nodes, row, index);
    return behind(editor, nodes, rows, index, level);
  };
  const order = share < 0.25 ? [above] : share >= 0.75 ? [below] : [inside, share < 0.5 ? above : below];
  let why: string | undefined;
  for (const place of order) {
    const drop = place();
    const allowed = drop && may(drop.to);
    if (allowed === true) return drop;
    why ??= allowed;
  }
  return why;
}

function into(editor: Editor, nodes: readonly NodeId[], { node, level }: Row, index: number): RowDrop | undefined {
  const slot = slotFor(node.kind);
  if (slot === undefined) return undefined;
  const to = { parent: node.id, slot, after: staying(node, nodes).at(-1)?.id ?? null };
  return { to, where: whereInWords(editor, nodes, to), into: index, level: level + 1 };
}

/** In front of the first layer of a group that is open. */
function first(editor: Editor, nodes: readonly NodeId[], { node, level }: Row, index: number): RowDrop | undefined {
  const slot = slotFor(node.kind);
  if (slot === undefined) return undefined;
  const to = { parent: node.id, slot, after: null };
  return { to, where: whereInWords(editor, nodes, to), below: index, level: level + 1 };
}

function beside(
  editor: Editor,
  nodes: readonly NodeId[],
  { id, node: { parent, slot } }: Row,
  level: number,
  below: number,
  isBehind: boolean,
): RowDrop | undefined {
  if (!parent || parent.kind === 'screen') return undefined;
  const there = staying(parent, nodes).map((one) => one.id);
  const after = isBehind ? id : (there[there.indexOf(id) - 1] ?? null);
  const to = { parent: parent.id, slot, after };
  return { to, where: whereInWords(editor, nodes, to), below, level };
}

/** Behind a row, or behind what it is the last of, as far out as the pointer is. */
function behind(editor: Editor, nodes: readonly NodeId[], rows: readonly Row[], index: number, level: number) {
  let row = rows[index]!;
  for (;;) {
    const { parent } = row.node;
    const outer = rows.find(({ id }) => id === parent?.id);
    const isLast = parent && layersIn(nodeOf(editor.document, parent.id)!).at(-1)?.id === row.id;
    if (!outer || !isLast || level >= row.level || outer.node.parent?.kind === 'screen') break;
    row = outer;
  }
  return beside(editor, nodes, row, row.level, index, true);
}
