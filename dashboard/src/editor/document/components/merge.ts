import { canonical, find, isObject, setIn, unsetIn } from '../canonical';
import { childrenOf, eachNode, type Found, idOf, isLayer, nodesIn, type Slot, slotsOf } from '../document';
import type { Json, JsonObject, NodeId } from '../operation';
import { differences, topOf } from './differences';
import { type Content, markOf } from './marks';

/** Merges what a component became into an instance of it: all three have the same ids. */
export function merge(instance: Found, old: JsonObject | undefined, next: JsonObject, after: Content): JsonObject {
  const stay = new Set<NodeId>();
  for (;;) {
    const merged = new Merge(instance, old && topOf(old), topOf(next), after, stay).node(instance.id)!;
    const lost = lostIn(instance, old && topOf(old), topOf(next), merged).filter((id) => !stay.has(id));
    if (lost.length === 0) return merged;
    for (const id of lost) stay.add(id); // its new place is not there: it keeps the one that it has
  }
}

/** Lists what an instance has of its own, or with the component, that a merged one has not. */
function lostIn(instance: Found, old: Found | undefined, next: Found, merged: JsonObject): NodeId[] {
  const [was, is, there] = [old && indexOf(old), indexOf(next), indexOf({ ...instance, object: merged })];
  return [...indexOf(instance).keys()].filter((id) => !there.has(id) && (is.has(id) || (was && !was.has(id))));
}

class Merge {
  readonly #own: Map<NodeId, Found>;
  readonly #old: Map<NodeId, Found> | undefined;
  readonly #next: Map<NodeId, Found>;
  readonly #slots: ReadonlySet<NodeId>;
  readonly #done = new Set<NodeId>();

  constructor(
    instance: Found,
    old: Found | undefined,
    next: Found,
    private readonly after: Content,
    private readonly stay: ReadonlySet<NodeId>,
  ) {
    this.#own = indexOf(instance);
    this.#old = old && indexOf(old);
    this.#next = indexOf(next);
    this.#slots = new Set(after.slots.map(({ layerId }) => layerId));
  }

  /** The merged node of an id that the instance or the component has now; undefined for what goes. */
  node(id: NodeId): JsonObject | undefined {
    if (this.#done.has(id)) return undefined;
    const [own, old, next] = [this.#own.get(id), this.#old?.get(id), this.#next.get(id)];
    this.#done.add(id);
    if (!next) return own && this.#withSlots(own, own.object, own, undefined, undefined, old !== undefined);
    if (!own) return this.#withSlots(next, next.object, undefined, undefined, next, false);
    return this.#withSlots(next, this.#properties(own, old, next), own, old, next, false);
  }

  /** The properties of a node: those that the instance changed are its own. */
  #properties(own: Found, old: Found | undefined, next: Found): JsonObject {
    let out = own.object;
    for (const path of differences(next.kind, own.object, next.object)) {
      if (path[0] !== 'component' && this.#isOwn(own, old, path)) continue;
      const value = find(next.object, path);
      out = value === undefined ? (unsetIn(out, path) as JsonObject) : (setIn(out, path, value) as JsonObject);
    }
    return out;
  }

  #isOwn(own: Found, old: Found | undefined, path: readonly string[]): boolean {
    const layer = markOf(own.object)?.layer;
    const may = this.after.overridable;
    const covers = (list: readonly string[]) => list.every((name, i) => path[i] === name);
    if (may && isLayer(own.kind) && !may.some((one) => one.layerId === layer && covers(one.path))) return false;
    if (!old) return true;
    return !isSame(find(own.object, path), find(old.object, path));
  }

  #withSlots(
    kind: Found,
    object: JsonObject,
    own: Found | undefined,
    old: Found | undefined,
    next: Found | undefined,
    loses: boolean,
  ): JsonObject {
    let out = loses ? withoutMark(object) : object;
    for (const [name, slot] of slotsOf(kind.kind)) {
      const list = this.#children(name, slot, own, old, next)
        .map((id) => this.node(id))
        .filter((one) => one !== undefined);
      if (!slot.list) out = (list[0] ? setIn(out, slot.path, list[0]) : unsetIn(out, slot.path)) as JsonObject;
      else if (find(out, slot.path) !== undefined || list.length > 0) out = setIn(out, slot.path, list) as JsonObject;
    }
    return out;
  }

  /** Lists what stands in a slot of a merged node, in its order. */
  #children(name: string, slot: Slot, own?: Found, old?: Found, next?: Found): NodeId[] {
    const [mine, was, is] = [own, old, next].map((node) => (node ? idsIn(node, name, slot) : []));
    if (!next) return mine!.filter((id) => !this.#next.has(id) || this.#movedByInstance(id));
    if (!own) return is!.filter((id) => !this.#own.has(id) || !this.#movedByInstance(id));
    if (name === 'children' && this.#slots.has(markOf(own.object)?.layer ?? '')) return mine!;
    const stays = (id: NodeId) => {
      if (!this.#next.has(id)) return !this.#wasThere(id) || this.#holdsOwn(id);
      return is!.includes(id) || this.#movedByInstance(id);
    };
    const kept = mine!.filter(stays);
    const common = kept.filter((id) => was!.includes(id) && is!.includes(id));
    const reordered = !isSame(
      common,
      was!.filter((id) => common.includes(id)),
    );
    // What comes: new in the component, or moved here by it.
    const comes = is!.filter(
      (id) => !kept.includes(id) && (this.#own.has(id) ? !this.#movedByInstance(id) : this.#isNew(id)),
    );
    const base = reordered ? kept : inOrderOf(is!, kept);
    return comes.reduce((list, id) => {
      const before = is!.slice(0, is!.indexOf(id)).findLast((one) => list.includes(one));
      return list.toSpliced(before === undefined ? 0 : list.indexOf(before) + 1, 0, id);
    }, base);
  }

  /** Whether the component did not have it when the instance was made: without that, what is not there was removed. */
  #isNew(id: NodeId): boolean {
    return this.#old ? !this.#old.has(id) : true;
  }

  #wasThere(id: NodeId): boolean {
    const own = this.#own.get(id);
    return this.#old ? this.#old.has(id) : own !== undefined && isLayer(own.kind) && markOf(own.object) !== undefined;
  }

  #movedByInstance(id: NodeId): boolean {
    if (this.stay.has(id)) return true;
    const [own, old] = [this.#own.get(id), this.#old?.get(id)];
    if (!own || !old) return own !== undefined && !this.#old;
    return own.parent?.id !== old.parent?.id || own.slot !== old.slot;
  }

  /** Whether something of the instance's own stands inside of a layer that the component has no more. */
  #holdsOwn(id: NodeId): boolean {
    let found = false;
    eachNode(this.#own.get(id)!, (node) => {
      if (this.stay.has(node.id) || (!this.#wasThere(node.id) && !this.#next.has(node.id))) found = true;
    });
    return found;
  }
}

const withoutMark = ({ component: _, ...object }: JsonObject): JsonObject => object as JsonObject;

function indexOf(root: Found): Map<NodeId, Found> {
  const out = new Map<NodeId, Found>();
  const walk = (node: Found) => {
    out.set(node.id, node);
    for (const child of childrenOf(node)) walk(child);
  };
  walk(root);
  return out;
}

const idsIn = (node: Found, name: string, slot: Slot): NodeId[] =>
  nodesIn(node.object, slot)
    .filter(isObject)
    .map((object) => idOf(object, node.id, name, slot));

/** Puts what stands in a list into its order; the others stay behind what they stood behind. */
function inOrderOf(order: readonly NodeId[], list: readonly NodeId[]): NodeId[] {
  const sorted = list.filter((id) => order.includes(id)).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  let next = 0;
  return list.map((id) => (order.includes(id) ? sorted[next++]! : id));
}

const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b);
