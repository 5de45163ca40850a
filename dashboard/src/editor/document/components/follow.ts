import { apply } from '../apply';
import { canonical, find } from '../canonical';
import { renameIds } from '../commands/copies';
import { fieldOf, fieldsOf, freeKey } from '../commands/fields';
import { childrenOf, type Document, eachNode, type Found, idOf, isLayer, nodeOf, nodesIn, slotsOf } from '../document';
import type { NewId } from '../editor';
import { isRefusal, type JsonObject, type NodeId, type Operation } from '../operation';
import { usesIn } from '../reference';
import { differences, topOf } from './differences';
import { type Content, layersOf, marked } from './marks';
import { merge } from './merge';

/**
 * Lists the operations after which an instance is as its component is now. What the instance has of its own stays: values
 * that differ from the component as the instance was made from it, layers that were added, moved or removed in it, and
 * what stands in slots. Without `before`, which the server forgets after 50 revisions, all that differs is its own.
 */
export function follow(
  document: Document,
  root: NodeId,
  id: string,
  before: Content | undefined,
  after: Content,
  newId: NewId,
): Operation[] {
  const instance = nodeOf(document, root)!;
  const { old, next } = inWordsOf(document, instance, id, before ?? after, after, newId);
  if (old.kind !== instance.object.kind || next.kind !== old.kind) return operationsTo(document, instance, next);
  const merged = merge(instance, before ? old : undefined, next, after);
  return operationsTo(document, instance, merged);
}

/** Returns a component as it was and as it is with the ids and the field keys that an instance has. */
export function inWordsOf(
  document: Document,
  instance: Found,
  id: string,
  before: Content,
  after: Content,
  newId: NewId,
): { old: JsonObject; next: JsonObject } {
  const known = layersOf(instance);
  const ids = new Map<NodeId, NodeId>();
  const kinds = new Map<NodeId, string>();
  const keys = new Map<string, string>();
  const taken = fieldsOf(document);
  const read = (tree: JsonObject) => {
    eachNode(topOf(tree), (node) => {
      if (!isLayer(node.kind)) return;
      const there = known.get(node.id);
      if (kinds.get(node.id) !== node.kind) {
        // a layer of another kind is another layer
        const same = there?.kind === node.kind || node.id === tree.id;
        ids.set(node.id, same && there ? there.id : newId('lyr'));
        kinds.set(node.id, node.kind);
      }
      const key = fieldOf(node);
      if (key === undefined || keys.has(key)) return;
      const own = there && fieldOf(there);
      keys.set(key, own ?? freeKey(key, taken));
      taken.add(keys.get(key)!);
    });
    return usesIn(renameIds(tree, [], ids) as JsonObject, 'field', undefined, (key) => keys.get(key) ?? key);
  };
  const old = read(marked(before.tree, { id, revision: before.revision }));
  const next = read(marked(after.tree, { id, revision: after.revision }));
  return { old, next };
}

/** The most operations that are easier to follow than one new subtree. */
const mostOperations = 150;

/** Lists the operations that make a node another object of the same id. */
export function operationsTo(document: Document, node: Found, wanted: JsonObject): Operation[] {
  if (canonical(node.object) === canonical(wanted)) return [];
  const steps = new Steps(document, node.id);
  if (steps.make(wanted) && steps.operations.length <= mostOperations) return steps.operations;
  const siblings = childrenOf(node.parent!).filter(({ slot }) => slot === node.slot);
  const at = siblings.findIndex((one) => one.id === node.id);
  const place = { after: siblings[at - 1]?.id ?? null, before: siblings[at + 1]?.id ?? null };
  return [
    { op: 'remove', node: node.id },
    { op: 'insert', parent: node.parent!.id, slot: node.slot, subtree: wanted, ...place },
  ];
}

/** Operations on a document, applied as they are found. */
class Steps {
  readonly operations: Operation[] = [];

  constructor(
    private document: Document,
    private readonly root: NodeId,
  ) {}

  /** Returns false when operations like these can't say the difference. */
  make(wanted: JsonObject): boolean {
    const now = nodeOf(this.document, this.root)!;
    if (now.object.kind !== wanted.kind) return false;
    const top: Found = { ...now, object: wanted };
    const there = new Map<NodeId, Found>();
    eachNode(top, (node) => there.set(node.id, node));
    if (!this.#removeGone(now, there)) return false;
    let good = true;
    eachNode(top, (node) => {
      good = good && this.#arrange(node);
    });
    eachNode(top, (node) => {
      good = good && this.#compare(node);
    });
    return good && canonical(nodeOf(this.document, this.root)!.object) === canonical(wanted);
  }

  #do(operation: Operation): boolean {
    const done = apply(this.document, { name: '', operations: [operation] });
    if (isRefusal(done)) return false;
    this.document = done.document;
    this.operations.push(operation);
    return true;
  }

  #removeGone(node: Found, there: ReadonlyMap<NodeId, Found>): boolean {
    const gone: NodeId[] = [];
    let good = true;
    const walk = (one: Found) => {
      if (there.get(one.id)?.kind === one.kind) return childrenOf(one).forEach(walk);
      gone.push(one.id);
      eachNode(one, ({ id }) => {
        if (there.has(id)) good = false; // it moved out of what goes
      });
    };
    walk(node);
    return good && gone.every((id) => this.#do({ op: 'remove', node: id }));
  }

  /** Puts what stands in the slots of a node into its places. */
  #arrange(node: Found): boolean {
    for (const [name, slot] of slotsOf(node.kind)) {
      let after: NodeId | null = null;
      for (const object of nodesIn(node.object, slot)) {
        const id = idOf(object, node.id, name, slot);
        if (!this.#settle(node.id, name, id, object, after)) return false;
        after = id;
      }
    }
    return true;
  }

  #settle(parent: NodeId, slot: string, id: NodeId, object: JsonObject, after: NodeId | null): boolean {
    const place = { parent, slot, after, before: after === null ? (this.#inSlot(parent, slot)[0] ?? null) : null };
    if (!this.document.parents.has(id)) return this.#do({ op: 'insert', subtree: object, ...place });
    const now = this.document.parents.get(id)!;
    const all = this.#inSlot(parent, slot);
    if (now.parent === parent && now.slot === slot && (all[all.indexOf(id) - 1] ?? null) === after) return true;
    return this.#do({ op: 'move', node: id, ...place });
  }

  #inSlot(parent: NodeId, slot: string): NodeId[] {
    return childrenOf(nodeOf(this.document, parent)!)
      .filter((one) => one.slot === slot)
      .map(({ id }) => id);
  }

  /** Sets the properties that differ. */
  #compare(node: Found): boolean {
    const now = nodeOf(this.document, node.id);
    if (!now) return false;
    return differences(node.kind, now.object, node.object).every((path) => {
      const value = find(node.object, path);
      return this.#do(
        value === undefined ? { op: 'unset', node: node.id, path } : { op: 'set', node: node.id, path, value },
      );
    });
  }
}
