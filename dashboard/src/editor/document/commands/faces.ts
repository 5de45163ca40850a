import { type Document, type Found, nodeOf, nodesIn, slotOf } from '../document';
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

/** Tells whether a layer is what a condition shows when none of its cases holds. */
export function isElse(document: Document, id: NodeId): boolean {
  return nodeOf(document, id)?.parent?.object.elseRootLayerId === id;
}
