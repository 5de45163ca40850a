import { isObject } from './canonical';
import { eachNode, type Found, slotsOf } from './document';
import type { Json, JsonObject } from './operation';

/** A text of a node with its translations: `path` leads to it inside the node. */
export type Written = { node: Found; path: readonly string[]; text: JsonObject & { default: string } };

/** Visits the texts of a node and of all inside it, in the order of the document. */
export function eachText(root: Found, visit: (written: Written) => void) {
  eachNode(root, (node) => {
    const slots = new Set(slotsOf(node.kind).map(([, slot]) => slot.path[0]!));
    const look = (value: Json, path: readonly string[]) => {
      if (!isObject(value)) return; // what stands in a list has no path of its own
      if (isText(value, path)) return visit({ node, path, text: value });
      for (const [name, member] of Object.entries(value))
        if (path.length > 0 || !slots.has(name)) look(member, [...path, name]);
    };
    look(node.object, []);
  });
}

const isText = (value: JsonObject, path: readonly string[]): value is Written['text'] =>
  typeof value.default === 'string' && path.at(-1) !== 'next';
