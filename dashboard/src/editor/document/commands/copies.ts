import { isObject } from '../canonical';
import { eachNode, type Found, isItem } from '../document';
import type { Editor, NewId } from '../editor';
import type { Json, JsonObject, NodeId } from '../operation';
import { isReference, usesIn } from '../reference';
import { fieldsIn, fieldsOf, freeKey } from './fields';

/** A copy with the ids that its nodes have now, by those that they had. */
export type Copies = { objects: JsonObject[]; ids: ReadonlyMap<NodeId, NodeId> };

const prefixes: Record<string, string> = { screen: 'scr', decision: 'dec', surface: 'surf' };

/** Copies nodes, with ids of their own and with field keys that no other layer has. What they name among themselves, and
 * the conditions and templates inside them that use those fields, follow. */
export function copyNodes(editor: Editor, nodes: readonly Pick<Found, 'kind' | 'object'>[], newId: NewId): Copies {
  const ids = new Map<NodeId, NodeId>();
  const taken = fieldsOf(editor.document);
  const keys = new Map<string, string>();
  for (const node of nodes) {
    const root: Found = { ...node, id: String(node.object.id), parent: null, slot: '' };
    eachNode(root, ({ id, kind }) => {
      if (!isItem(kind) && !ids.has(id)) ids.set(id, newId(prefixes[kind] ?? 'lyr'));
    });
    for (const key of fieldsIn(root)) {
      if (keys.has(key)) continue;
      keys.set(key, freeKey(key, taken));
      taken.add(keys.get(key)!);
    }
  }
  const objects = nodes.map(({ object }) => {
    const renamed = renameIds(object, [], ids) as JsonObject;
    return usesIn(renamed, 'field', undefined, (key) => keys.get(key) ?? key);
  });
  return { objects, ids };
}

export function renameIds(value: Json, path: readonly string[], ids: ReadonlyMap<NodeId, NodeId>): Json {
  if (typeof value === 'string') {
    const names = path.at(-1) === 'id' || (path.length > 0 && isReference(path));
    return names ? (ids.get(value) ?? value) : value;
  }
  if (Array.isArray(value)) return value.map((one) => renameIds(one, path, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renameIds(one, [...path, name], ids)]));
}
