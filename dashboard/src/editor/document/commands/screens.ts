import { find, isObject } from '../canonical';
import { childrenOf, type Document, isInside, nodeOf } from '../document';
import type { Command } from '../editor';
import type { Json, JsonObject, NodeId, Operation } from '../operation';
import { isReference, references } from '../reference';
import { label } from '../words';
import { copyNodes } from './copies';
import { movesTo } from './move';

export function screensOf(document: Document) {
  return childrenOf(nodeOf(document, 'flow')!).filter(({ slot }) => slot === 'screens');
}

/** Adds an empty screen behind another, which leads to it from then on; a flow's first screen becomes its entry. */
export const addScreen: Command<{ after?: NodeId; name?: string }> = {
  id: 'add-screen',
  when: (editor, { after }) => after === undefined || nodeOf(editor.document, after)?.kind === 'screen' || noScreen,
  build(editor, { after, name }, newId) {
    const id = newId('scr');
    const screens = screensOf(editor.document);
    const before = after === undefined ? screens.at(-1) : nodeOf(editor.document, after);
    const next = find(before?.object, ['next', 'default']) ?? null;
    const padding = { t: 16, r: 20, b: 16, l: 20 };
    const style = { width: 'full', height: 'fill', padding };
    const body = { id: newId('lyr'), kind: 'stack', direction: 'vertical', gap: 16, children: [], style };
    const screen = { id, name: name ?? `Screen ${screens.length + 1}`, next: { default: next }, regions: { body } };
    const operations = [insertScreen(screen, before?.id ?? null)];
    if (before) operations.push({ op: 'set', node: before.id, path: ['next', 'default'], value: id });
    else operations.push({ op: 'set', node: 'flow', path: ['entryScreenId'], value: id });
    return { step: { name: `Add “${screen.name}”`, operations }, select: { screen: id } };
  },
};

const noScreen = 'The screen was removed';

function insertScreen(subtree: JsonObject, after: NodeId | null): Operation {
  return { op: 'insert', parent: 'flow', slot: 'screens', subtree, after, before: null };
}

/** Puts a copy of a screen behind it. Nothing leads to the copy; it leads where the screen leads. */
export const duplicateScreen: Command<{ screen: NodeId }> = {
  id: 'duplicate-screen',
  when: (editor, { screen }) => nodeOf(editor.document, screen)?.kind === 'screen' || noScreen,
  build(editor, { screen }, newId) {
    const node = nodeOf(editor.document, screen)!;
    const [copy] = copyNodes(editor, [node], newId).objects;
    const name = [...`${String(node.object.name ?? 'Screen')} copy`].slice(-80).join('');
    const operations = [insertScreen({ ...copy, name }, screen)];
    return {
      step: { name: `Duplicate ${label(editor.document, screen)}`, operations },
      select: { screen: String(copy!.id) },
    };
  },
};

/** Moves a screen behind another in the list, or first. */
export const moveScreen: Command<{ screen: NodeId; after: NodeId | null }> = {
  id: 'move-screen',
  when(editor, { screen, after }) {
    const both = after === null ? [screen] : [screen, after];
    return both.every((id) => nodeOf(editor.document, id)?.kind === 'screen') || noScreen;
  },
  build: (editor, { screen, after }) => ({
    step: {
      name: `Move ${label(editor.document, screen)}`,
      operations: movesTo(editor, [screen], { parent: 'flow', slot: 'screens', after }),
    },
  }),
};

/** Removes a screen. What leads to it leads to its next screen from then on; where it has none, what must name a screen
 * still names it, which is a problem to be shown. */
export const removeScreen: Command<{ screen: NodeId }> = {
  id: 'remove-screen',
  when(editor, { screen }) {
    if (nodeOf(editor.document, screen)?.kind !== 'screen') return noScreen;
    return screensOf(editor.document).length > 1 || 'A flow keeps one screen';
  },
  build(editor, { screen }) {
    const { document } = editor;
    const screens = screensOf(document).map((one) => one.id);
    const beside = screens[screens.indexOf(screen) + 1] ?? screens[screens.indexOf(screen) - 1];
    const operations = [...redirections(document, screen), { op: 'remove', node: screen } as const];
    const position = `flow/layout/${screen}`;
    if (document.parents.has(position)) operations.push({ op: 'remove', node: position });
    return { step: { name: `Remove ${label(document, screen)}`, operations }, select: { screen: beside ?? null } };
  },
};

/** Members that may be null: the end of the flow. */
const mayEnd = new Set(['default', 'next', 'elseNext', 'fallback', 'entryScreenId']);

function redirections(document: Document, screen: NodeId): Operation[] {
  const next = find(nodeOf(document, screen)!.object, ['next', 'default']) ?? null;
  const to = next === screen ? null : next;
  const wholes = new Map<string, { node: NodeId; path: readonly string[] }>();
  for (const { node, path } of references(document, screen)) {
    if (isInside(document, node, screen) || node === `flow/layout/${screen}`) continue;
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
