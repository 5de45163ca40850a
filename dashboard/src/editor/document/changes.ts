import { childrenOf, type Document, eachNode, type Found, nodeOf } from './document';
import type { JsonObject, NodeId } from './operation';

/** Lists the nodes whose object is another one in a later document, with that object; undefined for those that are not
 * there any more. What kept its identity is not looked into, so the cost is that of what changed. */
export function changes(before: Document, after: Document): Map<NodeId, JsonObject | undefined> {
  const was = new Map<NodeId, JsonObject>();
  const is = new Map<NodeId, JsonObject>();
  compare(nodeOf(before, 'flow')!, nodeOf(after, 'flow')!, was, is);
  const out = new Map<NodeId, JsonObject | undefined>();
  for (const [id, object] of is) if (was.get(id) !== object) out.set(id, object);
  for (const id of was.keys()) if (!is.has(id)) out.set(id, undefined);
  return out;
}

function compare(before: Found, after: Found, was: Map<NodeId, JsonObject>, is: Map<NodeId, JsonObject>) {
  if (before.object === after.object && before.kind === after.kind) return;
  was.set(before.id, before.object);
  is.set(after.id, after.object);
  const left = new Map(childrenOf(before).map((child) => [child.id, child]));
  for (const child of childrenOf(after)) {
    const twin = left.get(child.id);
    left.delete(child.id);
    if (twin) compare(twin, child, was, is);
    else eachNode(child, (one) => is.set(one.id, one.object));
  }
  for (const child of left.values()) eachNode(child, (one) => was.set(one.id, one.object));
}
