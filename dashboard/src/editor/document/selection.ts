import type { Document } from './document';
import type { NodeId } from './operation';

/** What a person has selected: a screen, and layers or list items of it, none of them inside another. */
export type Selection = { screen: NodeId | null; nodes: readonly NodeId[] };

export const nothing: Selection = { screen: null, nodes: [] };

/** Finds the screen that a node is, or stands in. */
export function screenOf(document: Document, id: NodeId): NodeId | null {
  for (let at: NodeId | undefined = id; at !== undefined; at = document.parents.get(at)?.parent)
    if (document.parents.get(at)?.slot === 'screens') return at;
  return null;
}

/** Leaves out of a selection what is not there, what is there twice, and what stands inside another of its nodes. The
 * screen is that of the first node. */
export function valid(document: Document, { screen, nodes }: Selection): Selection {
  const there = [...new Set(nodes)].filter((id) => document.parents.has(id));
  const outer = there.filter((id) => !hasAncestor(document, id, new Set(there)));
  const [first] = outer;
  if (first !== undefined) return { screen: screenOf(document, first), nodes: outer };
  return { screen: screen !== null && document.parents.has(screen) ? screen : null, nodes: [] };
}

function hasAncestor(document: Document, id: NodeId, others: ReadonlySet<NodeId>): boolean {
  for (let at = document.parents.get(id); at; at = document.parents.get(at.parent))
    if (others.has(at.parent)) return true;
  return false;
}

export function sameSelection(a: Selection, b: Selection): boolean {
  return a.screen === b.screen && a.nodes.length === b.nodes.length && a.nodes.every((id, i) => id === b.nodes[i]);
}
