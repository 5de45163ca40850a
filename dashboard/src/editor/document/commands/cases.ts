import { find } from '../canonical';
import { childrenOf, type Document, type Found, nodeOf } from '../document';
import type { Command } from '../editor';
import { writtenEnd } from '../exits';
import type { JsonObject, NodeId, Operation } from '../operation';
import { label } from '../words';

/** What the manifest allows (schema.json). */
const most = 16;

/** The cases of a decision or a condition, in the order in which they are tried. */
export function casesOf(node: Found): Found[] {
  return childrenOf(node).filter(({ slot }) => slot === 'cases');
}

/** Adds a case to a decision or a condition, behind the others. That of a condition shows an empty stack. */
export const addCase: Command<{ node: NodeId; expression: JsonObject }> = {
  id: 'add-case',
  when(editor, { node: id }) {
    const node = nodeOf(editor.document, id);
    if (node?.kind !== 'decision' && node?.kind !== 'conditional') return 'It was removed';
    return casesOf(node).length < most || `There are at most ${most} cases`;
  },
  build(editor, { node: id, expression }, newId) {
    const node = nodeOf(editor.document, id)!;
    const insert = (slot: string, subtree: JsonObject, after: NodeId | null): Operation => {
      return { op: 'insert', parent: id, slot, subtree, after, before: null };
    };
    const last = casesOf(node).at(-1)?.id ?? null;
    const own = { id: newId('case'), expression };
    const name = `Add a case to ${label(editor.document, id)}`;
    if (node.kind === 'decision')
      return { step: { name, operations: [insert('cases', { ...own, next: null }, last)] } };
    const branch = { id: newId('lyr'), kind: 'stack', direction: 'vertical', children: [] };
    const operations = [insert('children', branch, null), insert('cases', { ...own, rootLayerId: branch.id }, last)];
    return { step: { name, operations } };
  },
};

/** Removes a case, with what it shows. */
export const removeCase: Command<{ item: NodeId }> = {
  id: 'remove-case',
  when(editor, { item }) {
    const node = nodeOf(editor.document, item)?.parent;
    if (!node) return 'It was removed';
    return casesOf(node).length > 1 || 'One case stays';
  },
  build(editor, { item }) {
    const { object, parent } = nodeOf(editor.document, item)!;
    const operations: Operation[] = [{ op: 'remove', node: item }];
    const branch = typeof object.rootLayerId === 'string' ? nodeOf(editor.document, object.rootLayerId) : undefined;
    if (branch && branch.parent?.id === parent!.id) operations.push({ op: 'remove', node: branch.id });
    return { step: { name: `Remove a case of ${label(editor.document, parent!.id)}`, operations } };
  },
};

/** Has a case tried before the one in front of it, or after the one behind it. */
export const moveCase: Command<{ item: NodeId; by: -1 | 1 }> = {
  id: 'move-case',
  when(editor, { item, by }) {
    const cases = siblings(editor.document, item);
    if (cases.length === 0) return 'It was removed';
    const at = cases.indexOf(item) + by;
    return (at >= 0 && at < cases.length) || (by < 0 ? 'It is the first already' : 'It is the last already');
  },
  build(editor, { item, by }) {
    const cases = siblings(editor.document, item);
    const at = cases.indexOf(item);
    const after = cases[by > 0 ? at + 1 : at - 2] ?? null;
    const before = after === null ? cases[0]! : null;
    const parent = nodeOf(editor.document, item)!.parent!.id;
    const operations: Operation[] = [{ op: 'move', node: item, parent, slot: 'cases', after, before }];
    return { step: { name: `Reorder the cases of ${label(editor.document, parent)}`, operations } };
  },
};

function siblings(document: Document, item: NodeId): NodeId[] {
  const parent = nodeOf(document, item)?.parent;
  return parent ? casesOf(parent).map(({ id }) => id) : [];
}

/** Has what follows a screen depend on a condition: a decision between it and what it led to, both of whose ways lead
 * there at first. */
export const branchNext: Command<{ screen: NodeId; expression: JsonObject }> = {
  id: 'branch-next',
  when(editor, { screen }) {
    const node = nodeOf(editor.document, screen);
    if (node?.kind !== 'screen') return 'The screen was removed';
    return decisionAfter(editor.document, node) === undefined || 'It depends on a condition already';
  },
  build(editor, { screen, expression }, newId) {
    const node = nodeOf(editor.document, screen)!;
    const next = find(node.object, ['next', 'default']) ?? writtenEnd;
    const id = newId('dec');
    const name = [...`After ${String(node.object.name ?? 'the screen')}`].slice(0, 80).join('');
    const decision = { id, name, cases: [{ id: newId('case'), expression, next }], elseNext: next };
    const operations: Operation[] = [
      { op: 'insert', parent: 'flow', slot: 'decisionNodes', subtree: decision, after: null, before: null },
      { op: 'set', node: screen, path: ['next', 'default'], value: id },
    ];
    return { step: { name: `Branch after ${label(editor.document, screen)}`, operations } };
  },
};

/** The decision that a screen leads to. */
export function decisionAfter(document: Document, screen: Found): NodeId | undefined {
  const next = find(screen.object, ['next', 'default']);
  return typeof next === 'string' && nodeOf(document, next)?.kind === 'decision' ? next : undefined;
}
