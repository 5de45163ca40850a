import { layersIn } from '../document/commands/faces';
import { type Document, type Found, nodeOf } from '../document/document';
import type { NodeId } from '../document/operation';

export type Row = { id: NodeId; node: Found; level: number; hasChildren: boolean; open: boolean };

/** The layers of a screen as rows of a tree. A choice's options come in the order in which they show. */
export function rowsOf(document: Document, screen: NodeId, closed: ReadonlySet<NodeId>): Row[] {
  const rows: Row[] = [];
  const add = (node: Found, level: number) => {
    const children = layersIn(node);
    const open = children.length > 0 && !closed.has(node.id);
    rows.push({ id: node.id, node, level, hasChildren: children.length > 0, open });
    if (open) for (const child of children) add(child, level + 1);
  };
  const node = nodeOf(document, screen);
  // Regions as they stand on the screen, not by the alphabet.
  const order = ['header', 'body', 'footer'];
  const regions = node ? layersIn(node).toSorted((a, b) => order.indexOf(a.slot) - order.indexOf(b.slot)) : [];
  for (const region of regions) add(region, 1);
  return rows;
}
