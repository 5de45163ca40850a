import { checkName, checkValue, copy, find, isObject, samePath, setIn, unsetIn } from './canonical';
import {
  count,
  type Document,
  eachNode,
  type Found,
  idOf,
  isInside,
  isItem,
  isLayer,
  kindOf,
  nodeOf,
  nodesIn,
  type Slot,
  slotOf,
  slotsOf,
  withObject,
} from './document';
import type { Applied, JsonObject, NodeId, Operation, Refusal, RefusalCode, Step } from './operation';
import { checkPlace, checkSubtree, height, layerDepth, limits, place, type Subtree, slotIsSound, take } from './place';
import { rename } from './reference';

/** One operation as it was applied. */
export type Done = { document: Document; operation: Operation; inverse: Operation[] };
type Of<Op extends Operation['op']> = Extract<Operation, { op: Op }>;

/** Applies a step whole. The given document stays as it is; the one that the step made is in the answer. */
export function apply(document: Document, step: Step): (Applied & { document: Document }) | Refusal {
  const operations: Operation[] = [];
  let inverse: Operation[] = [];
  let now = document;
  for (const operation of step.operations) {
    const done = applyOne(now, operation);
    if ('code' in done) return done;
    now = done.document;
    operations.push(done.operation);
    inverse = [...done.inverse, ...inverse];
  }
  return { step: { name: step.name, operations }, inverse, document: now };
}

function applyOne(document: Document, operation: Operation): Done | Refusal {
  switch (operation.op) {
    case 'set':
    case 'unset':
      return set(document, operation);
    case 'insert':
      return insert(document, operation);
    case 'move':
      return move(document, operation);
    case 'remove':
      return remove(document, operation);
    case 'rename':
      return rename(document, operation);
  }
}

function set(document: Document, operation: Of<'set'> | Of<'unset'>): Done | Refusal {
  const { node: id, path } = operation;
  const node = nodeOf(document, id);
  if (!node) return { code: 'node_removed', node: id };
  const code = checkPath(node, operation);
  if (code) return { code, node: id };
  let made: readonly string[] | undefined;
  for (let depth = 1; depth < path.length && !made; depth++) {
    const value = find(node.object, path.slice(0, depth));
    if (value === undefined) made = path.slice(0, depth);
    else if (!isObject(value)) return { code: 'shape', node: id };
  }
  const old = made ? undefined : find(node.object, path);
  if (operation.op === 'unset') {
    if (old === undefined) return { document, operation, inverse: [] };
    const flow = withObject(node, unsetIn(node.object, path));
    return { document: { ...document, flow }, operation, inverse: [{ op: 'set', node: id, path, value: old }] };
  }
  const value = copy(operation.value);
  const back: Operation =
    old === undefined ? { op: 'unset', node: id, path: made ?? path } : { op: 'set', node: id, path, value: old };
  const flow = withObject(node, setIn(node.object, path, value));
  return { document: { ...document, flow }, operation: { ...operation, value }, inverse: [back] };
}

const stamped = ['flowId', 'schemaVersion', 'version'];

/** Refuses the paths that are no property: a node's id and kind, its slots, and what the server writes. A path that leads
 * to a slot, or around one, is a property while no node is in it: that is how a list comes and goes. */
function checkPath(node: Found, operation: Of<'set'> | Of<'unset'>): RefusalCode | undefined {
  const { path } = operation;
  const first = path[0];
  if (first === undefined) return 'shape';
  if (path.length > limits.valueDepth) return 'limit';
  for (const name of path) {
    const code = checkName(name);
    if (code) return code;
  }
  const code = operation.op === 'set' ? checkValue(operation.value, limits.valueDepth - path.length) : undefined;
  if (code) return code;
  if (!node.parent) {
    if (stamped.includes(first)) return 'shape';
  } else if (first === slotOf(node.parent.kind, node.slot)!.key || (first === 'kind' && isLayer(node.kind))) {
    return 'shape';
  }
  return slotsOf(node.kind).every(([, slot]) => slotAllows(node.object, slot, operation)) ? undefined : 'shape';
}

function slotAllows(object: JsonObject, slot: Slot, operation: Of<'set'> | Of<'unset'>): boolean {
  const { path } = operation;
  const common = Math.min(path.length, slot.path.length);
  if (!samePath(path.slice(0, common), slot.path.slice(0, common))) return true;
  if (path.length > slot.path.length || nodesIn(object, slot).length > 0) return false;
  if (operation.op === 'unset') return true;
  const value = find(operation.value, slot.path.slice(common));
  if (value === undefined)
    return isObject(operation.value) && slotIsSound(setIn({}, slot.path.slice(0, common), operation.value), slot);
  return slot.list && Array.isArray(value) && value.length === 0;
}

function insert(document: Document, operation: Of<'insert'>): Done | Refusal {
  const { parent: parentId, slot: name } = operation;
  const parent = nodeOf(document, parentId);
  if (!parent) return { code: 'node_removed', node: parentId };
  const slot = slotOf(parent.kind, name);
  if (!slot || !isObject(operation.subtree)) return { code: 'slot', node: parentId };
  const code =
    checkPlace(parent, name, slot.holds) ?? checkValue(operation.subtree, 2 * limits.depth + limits.valueDepth);
  if (code) return { code, node: parentId };
  const subtree = copy(operation.subtree);
  const inside: Subtree = { ids: new Map(), layers: 0, screens: 0 };
  const refusal = checkSubtree(document, subtree, parentId, name, slot, inside);
  if (refusal) return refusal;
  const kind = kindOf(subtree, slot);
  const layers = document.layers + inside.layers;
  const screens = document.screens + inside.screens;
  if (layers > limits.layers || screens > limits.screens || layerDepth(parent) + height(subtree, kind) > limits.depth)
    return { code: 'limit', node: parentId };
  const { flow, neighbors, made } = place(parent, name, subtree, anchors(operation));
  const inverse: Operation[] = [{ op: 'remove', node: idOf(subtree, parentId, name, slot) }];
  if (made) inverse.push({ op: 'unset', node: parentId, path: made });
  return {
    document: { flow, parents: new Map([...document.parents, ...inside.ids]), layers, screens },
    operation: { op: 'insert', parent: parentId, slot: name, subtree, ...neighbors },
    inverse,
  };
}

/** Programs may leave anchors out. */
function anchors({ after, before }: { after?: NodeId | null; before?: NodeId | null }) {
  return { after: after ?? null, before: before ?? null };
}

function move(document: Document, operation: Of<'move'>): Done | Refusal {
  const { node: id, parent: parentId, slot: name } = operation;
  const node = nodeOf(document, id);
  const parent = nodeOf(document, parentId);
  if (!node) return { code: 'node_removed', node: id };
  if (!parent) return { code: 'node_removed', node: parentId };
  if (isFixed(node)) return { code: 'slot', node: id };
  if (isInside(document, parentId, id)) return { code: 'cycle', node: id };
  const code = checkPlace(parent, name, isLayer(node.kind) ? 'layer' : node.kind, node);
  if (code) return { code, node: parentId };
  // In another list an item would have another id.
  if (isItem(node.kind) && (node.parent!.id !== parentId || node.slot !== name))
    return { code: 'slot', node: parentId };
  if (isLayer(node.kind) && layerDepth(parent) + height(node.object, node.kind) > limits.depth)
    return { code: 'limit', node: id };
  const taken = take(node);
  const without = { ...document, flow: taken.flow };
  const { flow, neighbors, made } = place(nodeOf(without, parentId)!, name, node.object, anchors(operation));
  const inverse: Operation[] = [{ op: 'move', node: id, parent: node.parent!.id, slot: node.slot, ...taken.neighbors }];
  if (made) inverse.push({ op: 'unset', node: parentId, path: made });
  return {
    document: { ...document, flow, parents: new Map(document.parents).set(id, { parent: parentId, slot: name }) },
    operation: { op: 'move', node: id, parent: parentId, slot: name, ...neighbors },
    inverse,
  };
}

function remove(document: Document, operation: Of<'remove'>): Done | Refusal {
  const node = nodeOf(document, operation.node);
  if (!node) return { code: 'node_removed', node: operation.node };
  if (isFixed(node)) return { code: 'slot', node: operation.node };
  const { flow, neighbors } = take(node);
  const parents = new Map(document.parents);
  const counts = { layers: document.layers, screens: document.screens };
  eachNode(node, (one) => {
    parents.delete(one.id);
    count(counts, one.kind, -1);
  });
  const back: Operation = {
    op: 'insert',
    parent: node.parent!.id,
    slot: node.slot,
    subtree: node.object,
    ...neighbors,
  };
  return { document: { flow, parents, ...counts }, operation, inverse: [back] };
}

/** Tells whether a node can't leave its place: the flow, and the body of a screen. */
export function isFixed(node: Found): boolean {
  return !node.parent || node.slot === 'body';
}
