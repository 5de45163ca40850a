import { isObject } from '../canonical';
import { childrenOf, type Document, eachNode, type Found, isLayer, nodeOf } from '../document';
import type { Json, JsonObject, NodeId } from '../operation';

/**
 * What a component is at a revision. An instance of it in a draft is a copy of its layers, each of which has a member
 * `component` that names the layer that it is of; that of the topmost one names the component and the revision too.
 * Publishing leaves these members out, so that apps get plain layers.
 */
export type Content = {
  revision: number;
  tree: JsonObject;
  /** Layers whose children are the instance's own. */
  slots: readonly { layerId: NodeId; name: string }[];
  /** What an instance may have of its own; null is everything. */
  overridable: readonly { layerId: NodeId; path: readonly string[] }[] | null;
};

export type Mark = { id?: string; revision?: number; layer: NodeId };

/** Reads what a layer is of; undefined for a plain one. What programs wrote may be anything. */
export function markOf(object: JsonObject): Mark | undefined {
  const mark = object.component;
  if (!isObject(mark) || typeof mark.layer !== 'string') return undefined;
  const { id, revision, layer } = mark;
  if (typeof id !== 'string' || typeof revision !== 'number') return { layer };
  return { id, revision, layer };
}

/** Writes into a component's layers what they are of. */
export function marked(tree: JsonObject, of?: { id: string; revision: number }): JsonObject {
  let first = true;
  const out = mapLayers(tree, (layer) => {
    const mark: JsonObject = { ...(first && of), layer: layer.id! };
    first = false;
    return { ...layer, component: mark };
  });
  return out;
}

/** Takes out what layers are of. */
export const unmarked = (tree: JsonObject): JsonObject =>
  mapLayers(tree, ({ component: _, ...layer }) => layer as JsonObject);

/** Changes each layer of a tree, a layer before those inside of it. */
export function mapLayers(object: JsonObject, change: (layer: JsonObject) => JsonObject): JsonObject {
  const inside = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inside);
    if (!isObject(value)) return value;
    const own = typeof value.id === 'string' && typeof value.kind === 'string' ? change(value) : value;
    return Object.fromEntries(
      Object.entries(own).map(([name, one]) => [name, name === 'component' ? one : inside(one)]),
    );
  };
  return inside(object) as JsonObject;
}

export type Instance = { root: Found; id: string; revision: number };

/** Finds the instance that a node belongs to: the closest one around it that has its layer. */
export function instanceOf(document: Document, id: NodeId): Instance | undefined {
  for (let at: Found | null = nodeOf(document, id) ?? null; at; at = at.parent) {
    const mark = isLayer(at.kind) ? markOf(at.object) : undefined;
    if (mark?.id !== undefined) return { root: at, id: mark.id, revision: mark.revision! };
  }
  return undefined;
}

/** Lists the instances of a document, those inside others after them. */
export function instancesIn(document: Document): Instance[] {
  const out: Instance[] = [];
  eachNode(nodeOf(document, 'flow')!, (node) => {
    const mark = isLayer(node.kind) ? markOf(node.object) : undefined;
    if (mark?.id !== undefined) out.push({ root: node, id: mark.id, revision: mark.revision! });
  });
  return out;
}

/** Finds the layers of an instance by the component's ids: the first that is of each. What is inside of another instance
 * is that one's. */
export function layersOf(root: Found): Map<NodeId, Found> {
  const out = new Map<NodeId, Found>();
  const walk = (node: Found) => {
    const mark = isLayer(node.kind) ? markOf(node.object) : undefined;
    if (node !== root && mark?.id !== undefined) return;
    if (mark && !out.has(mark.layer)) out.set(mark.layer, node);
    for (const child of childrenOf(node)) walk(child);
  };
  walk(root);
  return out;
}

/** Tells whether a layer that goes into a node would stand inside of an instance of the same component. */
export function nestsItself(document: Document, object: JsonObject, parent: NodeId): boolean {
  const inside = new Set<string>();
  mapLayers(object, (layer) => {
    const id = markOf(layer)?.id;
    if (id !== undefined) inside.add(id);
    return layer;
  });
  if (inside.size === 0) return false;
  for (let at: Found | null = nodeOf(document, parent) ?? null; at; at = at.parent)
    if (isLayer(at.kind) && inside.has(markOf(at.object)?.id ?? '')) return true;
  return false;
}

/** Finds on the path to a layer the instance that it stands in, or the slot of one that it is or stands in, by their
 * indexes. An instance of `own` is whole: it has no slots for itself. */
export function wholeOn(
  path: readonly Found[],
  isSlot: (id: string, layer: NodeId) => boolean,
  own: string,
): { instance: number; slot: number } {
  let open: { at: number; id: string } | undefined;
  let slot = -1;
  path.forEach((node, at) => {
    const mark = isLayer(node.kind) ? markOf(node.object) : undefined;
    if (open && open.id !== own && mark && isSlot(open.id, mark.layer)) {
      open = undefined;
      slot = at;
    }
    if (!open && mark?.id !== undefined) open = { at, id: mark.id };
  });
  return { instance: open?.at ?? -1, slot };
}
