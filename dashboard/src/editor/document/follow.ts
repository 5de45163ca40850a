import { copy, find, setIn } from './canonical';
import { type Document, nodeOf, slotOf, slotsOf } from './document';
import type { JsonObject, NodeId, Operation, Step } from './operation';
import { declaredOptions, isOption, type Rename, type Replace, replaceAll, usesIn } from './reference';

/** Gives the keys in a step the names that they have after renames which its author did not know of, so that a condition
 * that was written offline is about the field that was meant. The document is the one after the renames. */
export function followRenames(document: Document, step: Step, renames: readonly Rename[]): Step {
  // Fields first: options are found by the key that their field has now.
  const ordered = renames.toSorted((a, b) => Math.min(1, a.owner?.length ?? 0) - Math.min(1, b.owner?.length ?? 0));
  const operations = step.operations.map((one) => ordered.reduce((now, to) => followOne(document, now, to), one));
  return { ...step, operations };
}

function followOne(document: Document, operation: Operation, rename: Rename): Operation {
  const replace: Replace = (key) => (key === rename.from ? rename.to : key);
  if (operation.op === 'rename') {
    const same = operation.key === rename.key && (operation.owner ?? '') === (rename.owner ?? '');
    return same ? { ...operation, from: replace(operation.from, false) } : operation;
  }
  const owner = nodeOf(document, rename.owner || 'flow');
  const out = rename.key === 'option' ? followItems(document, operation, rename) : operation;
  if (!owner || (out.op !== 'set' && out.op !== 'insert')) return out;
  const declared = (object: JsonObject) => {
    if (rename.key === 'option') return declaredOptions(object, owner.kind, replace);
    return rename.key === 'attribute' ? replaceAll(object, 'sdkAttributeKeys', replace) : object;
  };
  if (out.op === 'set') {
    const whole = around(document, out);
    const own = out.node === owner.id ? declared(whole) : whole;
    return { ...out, value: find(usesIn(own, rename.key, owner.object.fieldKey, replace), out.path)! };
  }
  const slot = slotOf(owner.kind, out.slot);
  const subtree =
    out.parent === owner.id && slot?.list
      ? (find(declared(nest([out.subtree], slot.path)), slot.path) as JsonObject[])[0]!
      : out.subtree;
  return { ...out, subtree: usesIn(subtree, rename.key, owner.object.fieldKey, replace) };
}

/** Returns the node that an operation sets a property of, with the property and without its slots: what a key means
 * depends on what stands beside it. */
function around(document: Document, { node: id, path, value }: Extract<Operation, { op: 'set' }>): JsonObject {
  const node = nodeOf(document, id);
  const slots = new Set(slotsOf(node?.kind ?? '').map(([, slot]) => slot.path[0]));
  const members = Object.entries(node?.object ?? {}).filter(([name]) => name === path[0] || !slots.has(name));
  return setIn(Object.fromEntries(members), path, copy(value));
}

function nest(value: JsonObject[], path: readonly string[]): JsonObject {
  return setIn({}, path, value);
}

/** Renames the options in the ids that an operation names. */
function followItems(document: Document, operation: Operation, { owner: id, from, to }: Rename): Operation {
  const owner = id === undefined ? undefined : nodeOf(document, id);
  if (!owner) return operation;
  const rewrite = (one: NodeId): NodeId => {
    for (const [name, slot] of slotsOf(owner.kind)) {
      const item = `${owner.id}/${name}/${from}`;
      if (isOption(slot.holds) && (one === item || one.startsWith(`${item}/`)))
        return `${owner.id}/${name}/${to}${one.slice(item.length)}`;
    }
    return one;
  };
  const out: Record<string, unknown> = { ...operation };
  for (const member of ['node', 'parent', 'after', 'before']) {
    const value = out[member];
    if (typeof value === 'string') out[member] = rewrite(value);
  }
  return out as Operation;
}
