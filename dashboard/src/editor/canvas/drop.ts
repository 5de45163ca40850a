import { isFree } from '../document/commands/align';
import { type Found, isInside, nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import { whyLocked } from '../document/locked';
import type { NodeId } from '../document/operation';
import { mayDrop, type Place, slotFor, staying, whereInWords } from '../drop';
import { around, type Box, type Point } from './board';
import { type LayerBox, layersAt } from './hit';

/** Where a drop goes, in words too; the line that shows it, without width or without height; and the box around. */
export type Drop = { to: Place; where: string; line: Box; around: Box };

/** What shows where a drop goes, or beside the pointer why it can't. */
export type DropMarks = { drop?: Drop; refused?: { at: Point; why: string } };

export const marksOf = (found: Drop | string | undefined, at: Point): DropMarks =>
  typeof found === 'string' ? { refused: { at, why: found } } : { drop: found };

/** The place for layers that are dragged to a point of a screen: the deepest that can have them. Near the edge of a layer
 * it is beside that. Where none can, why the deepest can't, in words; what is locked has nothing put into it, nor past it. `boxes` are those of the screen, in the order of the document. */
export function dropAt(
  editor: Editor,
  nodes: readonly NodeId[],
  point: Point,
  boxes: readonly LayerBox[],
  may = (to: Place) => mayDrop(editor, nodes, to),
): Drop | string | undefined {
  const { document } = editor;
  const still = boxes.filter(({ id }) => document.parents.has(id) && !nodes.some((one) => isInside(document, id, one)));
  const path = layersAt(still, point, (id) => document.parents.get(id)?.parent);
  const inside = path.findLastIndex((id, at) => at === 0 || !isAtEdge(boxOf(still, id)!, point));
  let why: string | undefined;
  for (const id of path.slice(0, inside + 1).toReversed()) {
    const node = nodeOf(document, id)!;
    const locked = slotFor(node.kind) && whyLocked(editor, id);
    if (locked) return locked;
    const drop = dropIn(editor, nodes, point, still, node, may);
    if (typeof drop === 'object') return drop;
    why ??= drop;
  }
  return why;
}

function dropIn(
  editor: Editor,
  nodes: readonly NodeId[],
  point: Point,
  boxes: readonly LayerBox[],
  node: Found,
  may: (to: Place) => true | string,
): Drop | string | undefined {
  const slot = slotFor(node.kind);
  const own = boxOf(boxes, node.id);
  if (slot === undefined || !own) return undefined;
  const children = staying(node, nodes).flatMap((child) => {
    const box = isFree(child.object) ? undefined : boxAround(boxes, child);
    return box ? [{ id: child.id, box }] : [];
  });
  const layout = layoutOf(node, children);
  const at = children.filter(({ box }) => isBefore(box, point, layout)).length;
  const to = { parent: node.id, slot, after: children[at - 1]?.id ?? null };
  const allowed = may(to);
  if (allowed !== true) return allowed;
  const line = lineBetween(own, children[at - 1]?.box, children[at]?.box, layout);
  return { to, line, around: own, where: whereInWords(editor, nodes, to) };
}

type Layout = { across: boolean; backwards: boolean; rows: boolean };

/** How the layers in a node follow each other. From right to left is seen by where they are. */
function layoutOf({ kind, object }: Found, children: readonly { box: Box }[]): Layout {
  const rows = object.wrap === true || (typeof object.columns === 'number' && object.columns > 1);
  const across = rows || object.direction === 'horizontal' || kind === 'carousel';
  const [first, second] = children;
  const beside = first && second && second.box.y < first.box.y + first.box.height;
  return { across, rows, backwards: across && beside === true && second.box.x < first.box.x };
}

/** Whether a layer stays in front of what is dropped at a point. */
function isBefore({ x, y, width, height }: Box, point: Point, { across, backwards, rows }: Layout): boolean {
  if (!across) return y + height / 2 < point.y;
  if (rows && point.y >= y + height) return true;
  if (rows && point.y < y) return false;
  return x + width / 2 < point.x !== backwards;
}

const inset = 4;

function lineBetween(own: Box, last: Box | undefined, next: Box | undefined, { across, backwards }: Layout): Box {
  if (!across) {
    const y = between(last && last.y + last.height, next?.y, own.y + inset);
    return { x: own.x + inset, y, width: Math.max(0, own.width - 2 * inset), height: 0 };
  }
  const [left, right] = backwards ? [next, last] : [last, next];
  // Of two rows, it stands at the end of the upper one.
  const one = left && right && right.x < left.x ? (backwards ? { right } : { left }) : { left, right };
  const edge = backwards ? own.x + own.width - inset : own.x + inset;
  const x = between(one.left && one.left.x + one.left.width, one.right?.x, edge);
  const beside = last ?? next ?? own;
  return { x, y: beside.y, width: 0, height: beside.height };
}

const between = (end: number | undefined, start: number | undefined, neither: number) =>
  end !== undefined && start !== undefined ? (end + start) / 2 : (end ?? start ?? neither);

const boxOf = (boxes: readonly LayerBox[], id: NodeId) => boxes.find((box) => box.id === id);

/** A layer's box; that around what it shows when it has no element of its own, as conditionals. */
function boxAround(boxes: readonly LayerBox[], node: Found): Box | undefined {
  const own = boxOf(boxes, node.id);
  if (own) return own;
  const inside = staying(node, []).flatMap((child) => boxAround(boxes, child) ?? []);
  return inside.length > 0 ? around(inside) : undefined;
}

function isAtEdge({ x, y, width, height }: Box, point: Point): boolean {
  const [across, down] = [Math.min(6, width / 4), Math.min(6, height / 4)];
  return point.x < x + across || point.x >= x + width - across || point.y < y + down || point.y >= y + height - down;
}
