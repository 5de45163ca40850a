import { canonical, isObject, samePath } from '../canonical';
import { type Found, kindOf, slotsOf } from '../document';
import type { JsonObject } from '../operation';

/** A tree as the topmost node of nothing else. */
export const topOf = (tree: JsonObject): Found => ({
  id: String(tree.id),
  kind: kindOf(tree, { path: [], list: true, holds: 'layer', key: 'id' }),
  object: tree,
  parent: null,
  slot: '',
});

/** Lists the paths at which two objects of a kind differ, what is in slots left out: the innermost members of which at
 * least one is no object. */
export function differences(kind: string, a: JsonObject, b: JsonObject, path: readonly string[] = []): string[][] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return names.flatMap((name) => {
    const here = [...path, name];
    const [one, other] = [a[name], b[name]];
    if (slotsOf(kind).some(([, slot]) => samePath(here, slot.path)) && one !== undefined && other !== undefined)
      return [];
    if (isObject(one) && isObject(other)) return differences(kind, one, other, here);
    if (one !== undefined && other !== undefined && canonical(one) === canonical(other)) return [];
    return [here];
  });
}
