import { type Document, nodeOf } from '../document/document';
import { end, exitsOf, stepsOf } from '../document/exits';
import type { NodeId } from '../document/operation';

/** What is wrong with where a step leads, or with what leads to it. */
export type Mark = 'unreachable' | 'deadEnd' | 'loop';

export const markNames: Record<Mark, string> = {
  unreachable: 'Nothing leads here',
  deadEnd: 'A connection leads nowhere',
  loop: 'Runs go round here and never come to the end',
};

/** The ways between steps: the ids that a step leads to. `end` is where a run is over; what is undefined leads nowhere. */
export type Ways = { entry: NodeId | undefined; next: ReadonlyMap<NodeId, readonly (NodeId | undefined)[]> };

/** Reads the ways of a flow. An exit without a target of its own goes the way of its step, so it adds none. */
export function waysOf(document: Document): Ways {
  const next = new Map<NodeId, (NodeId | undefined)[]>();
  for (const step of stepsOf(document)) {
    const always = ['next', 'else', 'fallback', 'case'];
    next.set(
      step.id,
      exitsOf(step)
        .filter(({ kind, to }) => to !== undefined || always.includes(kind))
        .map(({ to }) => (to === end || (to !== undefined && nodeOf(document, to)) ? to : undefined)),
    );
  }
  const entry = document.flow.entryScreenId;
  return { entry: typeof entry === 'string' ? entry : undefined, next };
}

/** Marks the steps that no run comes to, those with a way out that leads nowhere, and those from which no way leads to the
 * end though every way leads on. A step has the first of these that is true of it. */
export function marksOf({ entry, next }: Ways): Map<NodeId, Mark> {
  const reached = closure(entry === undefined ? [] : [entry], (id) => next.get(id) ?? []);
  const back = new Map<NodeId, NodeId[]>();
  const stops: NodeId[] = [];
  for (const [from, all] of next)
    for (const to of all) {
      if (to === undefined || to === end) stops.push(from);
      else back.set(to, [...(back.get(to) ?? []), from]);
    }
  const finishing = closure(stops, (id) => back.get(id) ?? []);
  const marks = new Map<NodeId, Mark>();
  for (const [id, all] of next) {
    if (!reached.has(id)) marks.set(id, 'unreachable');
    else if (all.includes(undefined)) marks.set(id, 'deadEnd');
    else if (!finishing.has(id)) marks.set(id, 'loop');
  }
  return marks;
}

function closure(from: readonly NodeId[], next: (id: NodeId) => readonly (NodeId | undefined)[]): Set<NodeId> {
  const seen = new Set<NodeId>();
  const todo: (NodeId | undefined)[] = [...from];
  while (todo.length > 0) {
    const id = todo.pop();
    if (id === undefined || seen.has(id)) continue;
    seen.add(id);
    todo.push(...next(id));
  }
  return seen;
}
