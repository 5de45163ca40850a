import { canonical, find, isObject, unsetIn } from '../document/canonical';
import { type Found, slotsOf } from '../document/document';
import type { Json, JsonObject, Operation } from '../document/operation';

/** The properties of a node as JSON, without its id, its kind and the nodes inside it. */
export function ownJson({ kind, object }: Pick<Found, 'kind' | 'object'>): JsonObject {
  let own = object;
  for (const [, slot] of slotsOf(kind)) if (find(own, slot.path) !== undefined) own = unsetIn(own, slot.path);
  return Object.fromEntries(Object.entries(own).filter(([name]) => !hidden(kind).has(name)));
}

const hidden = (kind: string) => new Set(kind === 'flow' ? ['flowId', 'schemaVersion', 'version'] : ['id', 'kind']);

/** The operations that give a node the properties that somebody wrote as JSON. Members that hold nodes as well are gone
 * into, so that those stay. */
export function operationsFor(node: Pick<Found, 'id' | 'kind' | 'object'>, written: JsonObject): Operation[] {
  const slots = slotsOf(node.kind).map(([, slot]) => slot.path);
  const compare = (path: string[], before: JsonObject, after: JsonObject): Operation[] =>
    [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): Operation[] => {
      const at = [...path, name];
      const [was, is]: (Json | undefined)[] = [before[name], after[name]];
      const around = slots.some((slot) => slot.length > at.length && at.every((part, i) => part === slot[i]));
      if (around) return compare(at, isObject(was) ? was : {}, isObject(is) ? is : {});
      if (is === undefined) return [{ op: 'unset', node: node.id, path: at }];
      return was !== undefined && canonical(was) === canonical(is)
        ? []
        : [{ op: 'set', node: node.id, path: at, value: is }];
    });
  return compare([], ownJson(node), written);
}
