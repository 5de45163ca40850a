import { apply } from '../apply';
import { find, isObject } from '../canonical';
import { type Document, isInside, nodeOf } from '../document';
import type { Command } from '../editor';
import { end, exitsOf, isStep, stepsOf } from '../exits';
import { isRefusal, type Json, type NodeId, type Operation } from '../operation';
import { isReference, references } from '../reference';
import { label } from '../words';
import { leadNowhere, leadTo } from './connect';
import { placeOf } from './placeSteps';

/** Removes steps. What leads to one leads on to where it led, when that is one place; else it goes the way of its step,
 * or to the end. */
export const removeSteps: Command<{ steps: readonly NodeId[] }> = {
  id: 'remove-steps',
  when({ document }, { steps }) {
    if (steps.length === 0) return 'Select a step to remove';
    if (!steps.every((id) => isStep(nodeOf(document, id)?.kind))) return 'The step was removed';
    const left = stepsOf(document).filter(({ id, kind }) => kind === 'screen' && !steps.includes(id));
    return left.length > 0 || 'A flow keeps one screen';
  },
  build({ document }, { steps }) {
    const name = `Remove ${steps.length === 1 ? label(document, steps[0]!) : `${steps.length} steps`}`;
    return { step: { name, operations: removal(document, new Set(steps)) }, select: {} };
  },
};

function removal(document: Document, removed: ReadonlySet<NodeId>): Operation[] {
  const operations: Operation[] = [];
  let now = document;
  // Each change is read by the next: a choice keeps where all of its options lead in one list.
  const change = (more: Operation[]) => {
    const done = apply(now, { name: '', operations: more });
    if (isRefusal(done)) return;
    now = done.document;
    operations.push(...more);
  };
  for (const step of stepsOf(document)) {
    if (removed.has(step.id)) continue;
    for (const exit of exitsOf(step)) {
      if (exit.to === undefined || !removed.has(exit.to)) continue;
      const on = wayOn(document, exit.to, removed);
      const led = on === undefined ? undefined : leadTo(now, exit, on);
      change(Array.isArray(led) ? led : leadNowhere(now, exit));
    }
  }
  for (const id of removed) {
    const on = wayOn(document, id, removed);
    for (const operation of redirections(now, id, on === undefined || on === end ? null : on)) change([operation]);
  }
  for (const id of removed) {
    change([{ op: 'remove', node: id }]);
    if (now.parents.has(placeOf(id))) change([{ op: 'remove', node: placeOf(id) }]);
  }
  return operations;
}

/** Where runs go on that came to a step: the next of a screen, else the one step that it leads to. */
export function wayOn(document: Document, id: NodeId, removed: ReadonlySet<NodeId>): NodeId | undefined {
  const met = new Set<NodeId>();
  let at: NodeId | undefined = id;
  while (at !== undefined && removed.has(at)) {
    if (met.has(at)) return undefined;
    met.add(at);
    const from: NodeId = at;
    const exits = exitsOf(nodeOf(document, from)!);
    const next = exits.find(({ kind }) => kind === 'next');
    const targets = new Set(exits.flatMap(({ to }) => (to === undefined || to === from ? [] : [to])));
    const steps = [...targets].filter((to) => to !== end);
    if (next?.to !== undefined && steps.includes(next.to)) at = next.to;
    // A screen whose buttons all lead elsewhere has the end as its next, where nobody comes.
    else if (steps.length === 1 && (next || targets.size === 1)) at = steps[0];
    else at = targets.size === 1 ? end : undefined;
  }
  return at;
}

/** Members that may be null: the end of the flow. */
const mayEnd = new Set(['default', 'next', 'elseNext', 'fallback', 'entryScreenId']);

/** What else names a step: the entry, and ways that are switched off. */
function redirections(document: Document, screen: NodeId, to: Json): Operation[] {
  const wholes = new Map<string, { node: NodeId; path: readonly string[] }>();
  for (const { node, path } of references(document, screen)) {
    if (isInside(document, node, screen) || node === placeOf(screen)) continue;
    // A list without ids is set whole.
    const whole = path.findIndex((_, i) => Array.isArray(find(nodeOf(document, node)!.object, path.slice(0, i + 1))));
    const at = whole < 0 ? path : path.slice(0, whole + 1);
    wholes.set(`${node} ${at.join('/')}`, { node, path: at });
  }
  return [...wholes.values()].flatMap(({ node, path }): Operation[] => {
    const was = find(nodeOf(document, node)!.object, path)!;
    const value = redirect(was, path, screen, to);
    return value === was ? [] : [{ op: 'set', node, path, value }];
  });
}

function redirect(value: Json, path: readonly string[], from: NodeId, to: Json): Json {
  if (value === from && isReference(path)) return to === null && !mayEnd.has(path.at(-1)!) ? value : to;
  if (Array.isArray(value)) {
    const list = value.map((one) => redirect(one, path, from, to));
    return list.every((one, i) => one === value[i]) ? value : list;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, one]) => [name, redirect(one, [...path, name], from, to)] as const);
  return members.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(members);
}
