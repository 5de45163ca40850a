import { apply } from './apply';
import { type Document, isInside } from './document';
import { isRefusal, type NodeId, type Operation, type Step } from './operation';
import type { Selection } from './selection';
import { label, labelOf } from './words';

/** A step of this person in the document. When others' edits come in before it, its inverse is computed anew. */
export type Edit = {
  step: Step;
  inverse: readonly Operation[];
  /** An edit that is on its way to the server, or there, is not rewritten any more. */
  sent: boolean;
  /** The server has it, with this inverse. */
  acknowledged: boolean;
  /** How many of the others' edits are known to stand before it. */
  seen: number;
};

/** What another person did, in the order of the server. */
export type Foreign = { by: string; operations: readonly Operation[]; inverse: readonly Operation[] };

/** What one press of undo takes back. */
export type Entry = { name: string; gesture?: string; edits: Edit[]; before: Selection; after: Selection };

export type Undone =
  | { is: 'nothing' }
  /** `kept` says in a sentence each what was left as it is, because others changed it since. */
  | { is: 'done'; name: string; kept: readonly string[] }
  /** Another's work would be lost, or has to come back first. To go on, which is called `act`, undo again with `anyway`. */
  | { is: 'asks'; name: string; question: string; act: string };

export type Plan = { operations: readonly Operation[]; kept: readonly string[] } | { question: string; act: string };

/** Works out the operations that take edits back from a document as it is now, after what others did. Another's work is
 * never undone: a property or place that they changed later stays theirs. */
export function planUndo(
  document: Document,
  edits: readonly Edit[],
  others: readonly Foreign[],
  anyway: boolean,
): Plan {
  const operations: Operation[] = [];
  const kept: string[] = [];
  let now = document;
  const perform = (step: readonly Operation[]) => {
    const done = apply(now, { name: '', operations: step });
    if (isRefusal(done)) return false;
    now = done.document;
    operations.push(...step);
    return true;
  };
  for (const edit of edits.toReversed()) {
    const later = others.slice(edit.seen);
    for (const operation of edit.inverse) {
      const hindrance = findHindrance(now, operation, later);
      if (hindrance?.is === 'theirs') {
        kept.push(hindrance.says);
        continue;
      }
      if (hindrance && !anyway) return { question: hindrance.question, act: hindrance.act };
      if (hindrance?.first) perform(hindrance.first);
      if (!perform([operation]) && operation.op !== 'unset')
        kept.push(`${nameOf(now, operation)} is not there any more`);
    }
  }
  return { operations: compact(operations), kept: [...new Set(kept)] };
}

type Hindrance =
  | { is: 'theirs'; says: string }
  | { is: 'question'; question: string; act: string; first?: readonly Operation[] }
  | undefined;

function findHindrance(now: Document, operation: Operation, later: readonly Foreign[]): Hindrance {
  switch (operation.op) {
    case 'set':
    case 'unset': {
      const other = later.findLast((one) => one.operations.some((theirs) => overlaps(theirs, operation)));
      return other && { is: 'theirs', says: `${other.by} changed ${label(now, operation.node)} since` };
    }
    case 'move': {
      const other = later.findLast((one) =>
        one.operations.some((theirs) => theirs.op === 'move' && theirs.node === operation.node),
      );
      return other && { is: 'theirs', says: `${other.by} moved ${label(now, operation.node)} since` };
    }
    case 'remove':
      return findInside(now, operation.node, later);
    case 'insert': {
      if (operation.parent === 'flow' || now.parents.has(operation.parent)) return undefined;
      const removal = findRemoval(operation.parent, later);
      if (!removal) return undefined;
      const question = `${removal.name} was removed by ${removal.by}. Bring it back first?`;
      return { is: 'question', question, act: 'Bring back', first: removal.operations };
    }
    case 'rename':
      return undefined;
  }
}

type PropertyOperation = Extract<Operation, { op: 'set' | 'unset' }>;

/** Tells whether another's operation changed the same property, one around it, or one inside it. */
function overlaps(theirs: Operation, mine: PropertyOperation): boolean {
  if ((theirs.op !== 'set' && theirs.op !== 'unset') || theirs.node !== mine.node) return false;
  return startsWith(theirs.path, mine.path) || startsWith(mine.path, theirs.path);
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, i) => path[i] === name);
}

function findInside(now: Document, node: NodeId, later: readonly Foreign[]): Hindrance {
  const nodes = new Set<NodeId>();
  const people = new Set<string>();
  for (const { by, operations } of later)
    for (const theirs of operations) {
      const at = theirs.op === 'insert' ? theirs.parent : 'node' in theirs ? theirs.node : undefined;
      if (at === undefined || !isInside(now, at, node)) continue;
      nodes.add(at);
      people.add(by);
    }
  if (nodes.size === 0) return undefined;
  const what = nodes.size === 1 ? '1 layer' : `${nodes.size} layers`;
  const question = `${[...people].join(' and ')} changed ${what} in ${label(now, node)}. Remove anyway?`;
  return { is: 'question', question, act: 'Remove' };
}

/** Who removed a node, or what it stood in, under which name, and the operations that bring that back. */
export type Removal = { by: string; name: string; operations: readonly Operation[] };

export function findRemoval(node: NodeId, others: readonly Foreign[]): Removal | undefined {
  for (const { by, inverse } of others.toReversed())
    for (const back of inverse)
      if (back.op === 'insert' && holds(back.subtree, node))
        return { by, name: nameOfSubtree(back.subtree), operations: [back] };
  return undefined;
}

function holds(subtree: unknown, id: NodeId): boolean {
  if (typeof subtree !== 'object' || subtree === null) return false;
  return Object.entries(subtree).some(([name, value]) => (name === 'id' && value === id) || holds(value, id));
}

function nameOfSubtree(subtree: Extract<Operation, { op: 'insert' }>['subtree']): string {
  return labelOf({ id: '', kind: typeof subtree.kind === 'string' ? subtree.kind : 'screen', object: subtree });
}

function nameOf(document: Document, operation: Operation): string {
  if (operation.op === 'rename') return `“${operation.from}”`;
  return label(document, operation.op === 'insert' ? operation.parent : operation.node);
}

/** Leaves out of operations on properties what a later one overwrites: a drag that went to the server in ten parts is
 * undone by one operation. */
function compact(operations: readonly Operation[]): readonly Operation[] {
  const out: Operation[] = [];
  for (const operation of operations) {
    const last = out.at(-1);
    const overwrites = isProperty(operation) && last && isProperty(last) && last.node === operation.node;
    if (overwrites && startsWith(last.path, operation.path)) out.pop();
    out.push(operation);
  }
  return out;
}

function isProperty(operation: Operation): operation is PropertyOperation {
  return operation.op === 'set' || operation.op === 'unset';
}

/** Tells whether a step sets the very properties that another set, so that it can take its place: the ticks of a drag. */
export function rewrites(step: Step, earlier: Step): boolean {
  return (
    step.operations.length === earlier.operations.length &&
    step.operations.every((operation, i) => {
      const other = earlier.operations[i]!;
      if (operation.op !== 'set' || other.op !== 'set' || operation.node !== other.node) return false;
      return startsWith(operation.path, other.path) && operation.path.length === other.path.length;
    })
  );
}
