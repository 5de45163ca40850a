import { kinds } from '../../../../manifest/shape/shape.json';
import { find, isObject, setIn } from './canonical';
import type { Json, JsonObject, NodeId } from './operation';

export type Flow = JsonObject;

/** Nested, never mutated: what an operation does not touch keeps its identity, so that one screen redraws. */
export type Document = {
  readonly flow: Flow;
  readonly parents: ReadonlyMap<NodeId, { parent: NodeId; slot: string }>;
  readonly layers: number;
  readonly screens: number;
};

export type Slot = { path: string[]; list: boolean; holds: string; key: string; kinds?: string[]; required?: boolean };
type Shape = { is: string; slots?: Record<string, Slot> };

const shapes = new Map(Object.entries(kinds as unknown as Record<string, Shape>));
const slotNames = new Map([...shapes].map(([kind, shape]) => [kind, Object.keys(shape.slots ?? {}).sort()]));

/** Lists the slots of a kind by name, sorted; none of a kind that is unknown. */
export function slotsOf(kind: string): [string, Slot][] {
  const slots = shapes.get(kind)?.slots ?? {};
  return (slotNames.get(kind) ?? []).map((name) => [name, slots[name]!]);
}

export function slotOf(kind: string, name: string): Slot | undefined {
  const slots = shapes.get(kind)?.slots;
  return slots && Object.hasOwn(slots, name) ? slots[name] : undefined;
}

/** A layer of a kind that is unknown has kind ''. */
export function isLayer(kind: string): boolean {
  const shape = shapes.get(kind);
  return !shape || shape.is === 'layer';
}

export function isItem(kind: string): boolean {
  return shapes.get(kind)?.is === 'item';
}

export function kindOf(object: JsonObject, slot: Slot): string {
  if (slot.holds !== 'layer') return slot.holds;
  const kind = object.kind;
  return typeof kind === 'string' && shapes.get(kind)?.is === 'layer' ? kind : '';
}

export function idOf(object: JsonObject, parent: NodeId, name: string, slot: Slot): NodeId {
  const key = typeof object[slot.key] === 'string' ? (object[slot.key] as string) : '';
  return isItem(slot.holds) ? `${parent}/${name}/${key}` : key;
}

/** Lists what stands in a slot of a node. */
export function nodesIn(object: JsonObject, slot: Slot): readonly JsonObject[] {
  const value = find(object, slot.path);
  if (value === undefined) return [];
  if (!slot.list) return [value as JsonObject];
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}

/** A node with where it stands. */
export type Found = { id: NodeId; kind: string; object: JsonObject; parent: Found | null; slot: string };

/** Makes the document of a flow that the server has opened: every node has an id of its own. It throws for one that has
 * not. */
export function open(flow: Flow): Document {
  const parents = new Map<NodeId, { parent: NodeId; slot: string }>();
  const counts = { layers: 0, screens: 0 };
  eachNode({ id: 'flow', kind: 'flow', object: flow, parent: null, slot: '' }, (node) => {
    if (!node.parent) return;
    if (parents.has(node.id) || node.id === '' || node.id === 'flow')
      throw new Error(`two nodes have the id ${node.id}`);
    parents.set(node.id, { parent: node.parent.id, slot: node.slot });
    count(counts, node.kind, 1);
  });
  return { flow, parents, ...counts };
}

export function count(counts: { layers: number; screens: number }, kind: string, by: number) {
  if (kind === 'screen') counts.screens += by;
  else if (isLayer(kind)) counts.layers += by;
}

/** Calls `visit` with a node and all nodes inside it, a node before those inside it. */
export function eachNode(node: Found, visit: (node: Found) => void) {
  visit(node);
  for (const child of childrenOf(node)) eachNode(child, visit);
}

/** Lists the nodes in the slots of a node. */
export function childrenOf(node: Found): Found[] {
  return slotsOf(node.kind).flatMap(([name, slot]) =>
    nodesIn(node.object, slot).map((object) => {
      if (!isObject(object)) throw new Error(`${node.id}/${name} holds what is no node`);
      return { id: idOf(object, node.id, name, slot), kind: kindOf(object, slot), object, parent: node, slot: name };
    }),
  );
}

/** Finds a node. */
export function nodeOf(document: Document, id: NodeId): Found | undefined {
  if (id === 'flow') return { id, kind: 'flow', object: document.flow, parent: null, slot: '' };
  const place = document.parents.get(id);
  const parent = place && nodeOf(document, place.parent);
  if (!parent) return undefined;
  const slot = slotOf(parent.kind, place.slot)!;
  const object = nodesIn(parent.object, slot).find((one) => idOf(one, parent.id, place.slot, slot) === id)!;
  return { id, kind: kindOf(object, slot), object, parent, slot: place.slot };
}

/** Returns the flow in which a node is another object. */
export function withObject(node: Found, object: JsonObject): Flow {
  const { parent } = node;
  if (!parent) return object;
  const slot = slotOf(parent.kind, node.slot)!;
  const inside: Json = slot.list
    ? nodesIn(parent.object, slot).map((one) => (one === node.object ? object : one))
    : object;
  return withObject(parent, setIn(parent.object, slot.path, inside));
}

/** Tells whether a node is, or stands inside, another. */
export function isInside(document: Document, id: NodeId, other: NodeId): boolean {
  for (let at: NodeId | undefined = id; at !== undefined; at = document.parents.get(at)?.parent)
    if (at === other) return true;
  return false;
}
