import { find } from '../canonical';
import { childrenOf, type Document, nodeOf } from '../document';
import type { Command, NewId } from '../editor';
import { end } from '../exits';
import type { JsonObject, NodeId, Operation } from '../operation';
import { label } from '../words';
import { copyNodes } from './copies';
import { movesTo } from './move';
import { removeSteps } from './removeSteps';

export function screensOf(document: Document) {
  return childrenOf(nodeOf(document, 'flow')!).filter(({ slot }) => slot === 'screens');
}

/** Adds an empty screen behind another, which leads to it from then on; a flow's first screen becomes its entry. */
export const addScreen: Command<{ after?: NodeId; name?: string }> = {
  id: 'add-screen',
  when: (editor, { after }) => after === undefined || nodeOf(editor.document, after)?.kind === 'screen' || noScreen,
  build(editor, { after, name }, newId) {
    const screens = screensOf(editor.document);
    const before = after === undefined ? screens.at(-1) : nodeOf(editor.document, after);
    const next = find(before?.object, ['next', 'default']) ?? null;
    const screen = blankScreen(newId, name ?? `Screen ${screens.length + 1}`, typeof next === 'string' ? next : end);
    const id = String(screen.id);
    const operations = [insertScreen(screen, before?.id ?? null)];
    if (before) operations.push({ op: 'set', node: before.id, path: ['next', 'default'], value: id });
    else operations.push({ op: 'set', node: 'flow', path: ['entryScreenId'], value: id });
    return { step: { name: `Add “${screen.name}”`, operations }, select: { screen: id } };
  },
};

/** An empty screen that leads to a step, or ends the flow. */
export function blankScreen(newId: NewId, name: string, next: NodeId | undefined): JsonObject {
  const id = newId('scr');
  const style = { width: 'full', height: 'fill', padding: { t: 16, r: 20, b: 16, l: 20 } };
  const body = { id: newId('lyr'), kind: 'stack', direction: 'vertical', gap: 16, children: [], style };
  return { id, name, next: { default: next === end ? null : (next ?? null) }, regions: { body } };
}

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

/** Removes a screen; see removal of steps. */
export const removeScreen: Command<{ screen: NodeId }> = {
  id: 'remove-screen',
  when: (editor, { screen }) =>
    nodeOf(editor.document, screen)?.kind === 'screen' ? removeSteps.when(editor, { steps: [screen] }) : noScreen,
  build(editor, { screen }, newId) {
    const screens = screensOf(editor.document).map((one) => one.id);
    const beside = screens[screens.indexOf(screen) + 1] ?? screens[screens.indexOf(screen) - 1];
    return { ...removeSteps.build(editor, { steps: [screen] }, newId), select: { screen: beside ?? null } };
  },
};
