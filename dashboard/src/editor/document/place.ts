import { byteLength, find, isObject, setIn, unsetIn } from './canonical';
import type { Flow } from './document';
import {
  type Document,
  type Found,
  idOf,
  isLayer,
  kindOf,
  nodesIn,
  type Slot,
  slotOf,
  slotsOf,
  withObject,
} from './document';
import type { JsonObject, NodeId, RefusalCode } from './operation';

export const limits = { screens: 500, layers: 5000, depth: 32, valueDepth: 100, id: 256 };

type Neighbors = { after: NodeId | null; before: NodeId | null };

/** Puts an object into a slot next to the anchor that stands there. `made` is the topmost member that had to be made. */
export function place(
  parent: Found,
  name: string,
  object: JsonObject,
  { after, before }: Neighbors,
): { flow: Flow; neighbors: Neighbors; made?: string[] } {
  const slot = slotOf(parent.kind, name)!;
  let made: string[] | undefined;
  for (let depth = 1; depth <= slot.path.length && !made; depth++) {
    const path = slot.path.slice(0, depth);
    if (find(parent.object, path) === undefined && (slot.list || depth < slot.path.length)) made = path;
  }
  if (!slot.list)
    return {
      flow: withObject(parent, setIn(parent.object, slot.path, object)),
      neighbors: { after: null, before: null },
      made,
    };
  const list = nodesIn(parent.object, slot);
  const ids = list.map((one) => idOf(one, parent.id, name, slot));
  let at = list.length;
  if (after !== null && ids.includes(after)) at = ids.indexOf(after) + 1;
  else if (before !== null && ids.includes(before)) at = ids.indexOf(before);
  return {
    flow: withObject(parent, setIn(parent.object, slot.path, list.toSpliced(at, 0, object))),
    neighbors: { after: ids[at - 1] ?? null, before: ids[at] ?? null },
    made,
  };
}

/** Takes a node out of its slot. */
export function take(node: Found): { flow: Flow; neighbors: Neighbors } {
  const parent = node.parent!;
  const slot = slotOf(parent.kind, node.slot)!;
  if (!slot.list)
    return { flow: withObject(parent, unsetIn(parent.object, slot.path)), neighbors: { after: null, before: null } };
  const list = nodesIn(parent.object, slot);
  const at = list.indexOf(node.object);
  const id = (i: number) => (list[i] ? idOf(list[i], parent.id, node.slot, slot) : null);
  return {
    flow: withObject(parent, setIn(parent.object, slot.path, list.toSpliced(at, 1))),
    neighbors: { after: id(at - 1), before: id(at + 1) },
  };
}

/** Says why a node may not stand in a slot. Kinds that only a valid manifest would refuse are let in: that is a problem
 * to show, not a conflict. */
export function checkPlace(parent: Found, name: string, holds: string, moving?: Found): RefusalCode | undefined {
  const slot = slotOf(parent.kind, name);
  if (slot?.holds !== holds) return 'slot';
  const stays = moving?.parent?.id === parent.id && moving.slot === name;
  return !slot.list && !stays && find(parent.object, slot.path) !== undefined ? 'slot' : undefined;
}

/** Counts the layers around a place inside a node. */
export function layerDepth(parent: Found): number {
  let depth = 0;
  for (let at: Found | null = parent; at && isLayer(at.kind); at = at.parent) depth++;
  return depth;
}

/** Counts the levels of layers of an object. */
export function height(object: JsonObject, kind: string): number {
  let deepest = 0;
  for (const [, slot] of slotsOf(kind)) {
    if (slot.holds !== 'layer') continue;
    for (const child of nodesIn(object, slot)) deepest = Math.max(deepest, height(child, kindOf(child, slot)));
  }
  return deepest + (isLayer(kind) ? 1 : 0);
}

export type Subtree = { ids: Map<NodeId, { parent: NodeId; slot: string }>; layers: number; screens: number };

/** Checks that a subtree's nodes have ids that no other node has, and that its slots hold nodes; notes them in `into`. */
export function checkSubtree(
  document: Document,
  object: JsonObject,
  parent: NodeId,
  name: string,
  slot: Slot,
  into: Subtree,
): { code: RefusalCode; node: NodeId } | undefined {
  const key = typeof object[slot.key] === 'string' ? (object[slot.key] as string) : '';
  const id = idOf(object, parent, name, slot);
  if (key === '' || byteLength(key) > limits.id || (id === key && key.includes('/')))
    return { code: 'shape', node: parent };
  if (id === 'flow' || document.parents.has(id) || into.ids.has(id)) return { code: 'exists', node: id };
  into.ids.set(id, { parent, slot: name });
  const kind = kindOf(object, slot);
  if (kind === 'screen') into.screens++;
  else if (isLayer(kind)) into.layers++;
  for (const [inner, innerSlot] of slotsOf(kind)) {
    if (!slotIsSound(object, innerSlot)) return { code: 'shape', node: id };
    for (const child of nodesIn(object, innerSlot)) {
      if (!isObject(child)) return { code: 'shape', node: id };
      const refusal = checkSubtree(document, child, id, inner, innerSlot, into);
      if (refusal) return refusal;
    }
  }
  return undefined;
}

/** Tells whether a slot's value, if any, is a list or an object as it must be. */
export function slotIsSound(object: JsonObject, slot: Slot): boolean {
  let at: unknown = object;
  for (const member of slot.path) {
    if (!isObject(at)) return false;
    if (!Object.hasOwn(at, member)) return true;
    at = at[member];
  }
  return slot.list ? Array.isArray(at) : isObject(at);
}
