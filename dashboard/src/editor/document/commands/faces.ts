import { childrenOf, type Document, type Found, isLayer, nodeOf, nodesIn, slotOf } from '../document';
import type { NodeId } from '../operation';

/** The item that shows a layer as the face of an option, or as the branch of a condition. */
export type Binding = { id: NodeId; slot: 'optionBindings' | 'cases'; item: Found };

/** Finds the option or the case that a layer is the face of; undefined for a layer that stands for itself. */
export function bindingOf(document: Document, id: NodeId): Binding | undefined {
  const parent = nodeOf(document, id)?.parent;
  for (const slot of ['optionBindings', 'cases'] as const) {
    const place = parent && slotOf(parent.kind, slot);
    const object = place && nodesIn(parent.object, place).find((one) => one.rootLayerId === id);
    if (!object) continue;
    const item = nodeOf(document, `${parent.id}/${slot}/${String(object[place.key])}`);
    if (item) return { id: item.id, slot, item };
  }
  return undefined;
}

/** Finds the question that a layer stands in an option of, and the face of that option. */
export function questionAround(document: Document, id: NodeId): { question: Found; face: Found } | undefined {
  let face = nodeOf(document, id);
  while (face && bindingOf(document, face.id)?.slot !== 'optionBindings') face = face.parent ?? undefined;
  return face?.parent ? { question: face.parent, face } : undefined;
}

/** Tells whether a layer is what a condition shows when none of its cases holds. */
export function isElse(document: Document, id: NodeId): boolean {
  return nodeOf(document, id)?.parent?.object.elseRootLayerId === id;
}

/** The layers directly in a node, in the order in which they show. */
export function layersIn(node: Found): Found[] {
  const layers = childrenOf(node).filter(({ kind }) => isLayer(kind));
  const bindings = Array.isArray(node.object.optionBindings) ? node.object.optionBindings : undefined;
  if (!bindings) return layers;
  const roots = bindings.map((binding) => (binding as { rootLayerId?: unknown }).rootLayerId);
  const place = ({ id }: Found) => (roots.includes(id) ? roots.indexOf(id) : roots.length);
  return layers.toSorted((a, b) => place(a) - place(b));
}
