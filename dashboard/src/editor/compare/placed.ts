import { find, unsetIn } from '../document/canonical';
import { type Document, eachNode, type Found, isItem, isLayer, nodeOf, slotsOf } from '../document/document';
import { isStep } from '../document/exits';
import type { JsonObject, NodeId } from '../document/operation';

/** A node of one of two documents that are compared. */
export type Placed = Found & {
  /** The screen, decision or surface that it is, or stands in; null for the flow and what is its own. */
  step: NodeId | null;
  /** The layer that it is, or is an item of. */
  layer: NodeId | null;
  /** Its members without the nodes inside of it and without what the server writes. */
  own: JsonObject;
  /** Its place among its siblings. */
  index: number;
};

export type Side = { document: Document; nodes: ReadonlyMap<NodeId, Placed> };

/** Lists the nodes of a document, each before those inside of it. */
export function sideOf(document: Document): Side {
  const nodes = new Map<NodeId, Placed>();
  const counts = new Map<string, number>();
  eachNode(nodeOf(document, 'flow')!, (node) => {
    const around = node.parent && nodes.get(node.parent.id);
    const step = isStep(node.kind) ? node.id : (around?.step ?? null);
    const layer = isLayer(node.kind) ? node.id : isItem(node.kind) ? (around?.layer ?? null) : null;
    const list = `${node.parent?.id} ${node.slot}`;
    const index = counts.get(list) ?? 0;
    counts.set(list, index + 1);
    nodes.set(node.id, { ...node, step, layer, own: ownOf(node), index });
  });
  return { document, nodes };
}

function ownOf({ object, kind }: Found): JsonObject {
  let own = object;
  for (const [, { path }] of slotsOf(kind)) if (find(own, path) !== undefined) own = unsetIn(own, path);
  if (kind !== 'flow') return own;
  const { flowId: _f, version: _v, schemaVersion: _s, ...rest } = own;
  return rest;
}

/** The change of a node as a whole. */
export type NodeStatus = 'added' | 'removed' | 'moved' | 'reordered' | 'kept';

/** Returns the status of each node of either side. Of siblings in another order, the fewest are reordered. */
export function statusesOf(before: Side, after: Side): Map<NodeId, NodeStatus> {
  const statuses = new Map<NodeId, NodeStatus>();
  const lists = new Map<string, Placed[]>();
  for (const [id, node] of after.nodes) {
    const was = before.nodes.get(id);
    const stays = was?.parent?.id === node.parent?.id && was?.slot === node.slot;
    statuses.set(id, !was ? 'added' : stays ? 'kept' : 'moved');
    if (!stays) continue;
    const key = `${node.parent?.id} ${node.slot}`;
    lists.set(key, [...(lists.get(key) ?? []), node]);
  }
  for (const id of before.nodes.keys()) if (!after.nodes.has(id)) statuses.set(id, 'removed');
  for (const list of lists.values()) {
    const kept = longestRising(list.map(({ id }) => before.nodes.get(id)!.index));
    for (const [i, { id }] of list.entries()) if (!kept.has(i)) statuses.set(id, 'reordered');
  }
  return statuses;
}

/** The indexes of a longest sequence of numbers that rises. */
export function longestRising(numbers: readonly number[]): Set<number> {
  const ends: number[] = []; // ends[n] is where the sequence of n + 1 with the smallest end ends
  const previous: (number | undefined)[] = [];
  for (const [i, number] of numbers.entries()) {
    let length = ends.findIndex((end) => numbers[end]! >= number);
    if (length < 0) length = ends.length;
    previous[i] = ends[length - 1];
    ends[length] = i;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) found.add(at);
  return found;
}
