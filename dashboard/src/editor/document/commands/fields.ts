import { type Document, eachNode, type Found, isLayer, nodeOf } from '../document';
import type { JsonObject } from '../operation';

/** Returns the key under which a layer's answer is known; undefined when it asks nothing. */
export function fieldOf({ kind, object }: Pick<Found, 'kind' | 'object'>): string | undefined {
  return isLayer(kind) && typeof object.fieldKey === 'string' ? object.fieldKey : undefined;
}

/** Collects the field keys that layers of a document declare. */
export function fieldsOf(document: Document): Set<string> {
  return fieldsIn(nodeOf(document, 'flow')!);
}

export function fieldsIn(node: Found): Set<string> {
  const out = new Set<string>();
  eachNode(node, (one) => {
    const key = fieldOf(one);
    if (key !== undefined) out.add(key);
  });
  return out;
}

/** Returns a key that is not taken: goal, goal_2, goal_3 and so on. */
export function freeKey(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/_\d+$/, '');
  for (let n = 2; ; n++) if (!taken.has(`${stem}_${n}`)) return `${stem}_${n}`;
}

/** Lists the option ids of a choice or a wheel. */
export function optionsOf(layer: JsonObject): Set<string> {
  const items = [layer.optionBindings, layer.options].flatMap((list) => (Array.isArray(list) ? list : []));
  return new Set(items.map((item) => String((item as JsonObject).optionId)));
}
