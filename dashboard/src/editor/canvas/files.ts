import { insert } from '../document/commands/insert';
import { nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import { whyLocked } from '../document/locked';
import type { NodeId } from '../document/operation';
import { nameOf } from '../names';
import type { FilesSpot } from '../useEditor';
import type { Box, Point } from './board';
import { type DropMarks, dropAt, marksOf } from './drop';
import { type LayerBox, layersAt } from './hit';

/** Where files go that are dropped at a point: in place of the file of the layer there that shows one, else where an
 * image may stand. Nowhere in particular where none may; why not, in words, into what is locked. */
export function filesAt(
  editor: Editor,
  point: Point,
  path: readonly NodeId[],
  boxes: readonly LayerBox[],
): { spot: FilesSpot | string; marks: DropMarks } {
  const last = path.at(-1);
  const node = last === undefined ? undefined : nodeOf(editor.document, last);
  if (node && /^(image|video|lottie)$/.test(node.kind)) {
    const box: Box = boxes.find(({ id }) => id === last)!;
    const where = `in place of ${nameOf(node.object, node.kind)}`;
    const to = { parent: node.parent!.id, slot: node.slot, after: node.id };
    return { spot: { over: node.id }, marks: { drop: { to, where, line: { ...box, height: 0 }, around: box } } };
  }
  const may = (to: FilesSpot['to']) => insert.when(editor, { kind: 'image', to });
  const found = dropAt(editor, [], point, boxes, may);
  const deepest = layersAt(boxes, point, (id) => editor.document.parents.get(id)?.parent).at(-1);
  const locked = deepest === undefined ? undefined : whyLocked(editor, deepest);
  const otherwise = found !== undefined && found === locked ? locked : {};
  return { spot: typeof found === 'object' ? { to: found.to } : otherwise, marks: marksOf(found, point) };
}
