import { layersIn } from '../document/commands/faces';
import { type Document, type Found, nodeOf } from '../document/document';
import type { NodeId } from '../document/operation';
import { kindName, nameOf } from '../names';

export type Row = { id: NodeId; node: Found; level: number; hasChildren: boolean; open: boolean };

/** The layers of a screen as rows of a tree. A choice's options come in the order in which they show. With words to search
 * for, those whose names or kinds have them, and what they stand in. */
export function rowsOf(document: Document, screen: NodeId, closed: ReadonlySet<NodeId>, search = ''): Row[] {
  const words = search.trim().toLocaleLowerCase();
  const rows: Row[] = [];
  /** Whether the node or something in it has a row then. */
  const add = (node: Found, level: number): boolean => {
    const children = layersIn(node);
    const open = children.length > 0 && (words !== '' || !closed.has(node.id));
    const at = rows.push({ id: node.id, node, level, hasChildren: children.length > 0, open });
    const inside = open ? children.map((child) => add(child, level + 1)).includes(true) : false;
    if (inside || isFound(node, words)) return true;
    rows.length = at - 1;
    return false;
  };
  const node = nodeOf(document, screen);
  // Regions as they stand on the screen, not by the alphabet.
  const order = ['header', 'body', 'footer'];
  const regions = node ? layersIn(node).toSorted((a, b) => order.indexOf(a.slot) - order.indexOf(b.slot)) : [];
  for (const region of regions) add(region, 1);
  return rows;
}

/** Whether the name of a layer, or that of its kind, has words. */
const isFound = ({ object, kind, slot }: Found, words: string): boolean =>
  `${nameOf(object, kind, slot)}\n${kindName(kind)}`.toLocaleLowerCase().includes(words);
