import { find } from '../canonical';
import { childrenOf, type Document, type Found, isInside, nodeOf } from '../document';
import type { Command, Editor, NewId } from '../editor';
import { end } from '../exits';
import type { Json, JsonObject, NodeId, Operation } from '../operation';
import { references } from '../reference';
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

/** Lists the screens as people see them: the one that runs start with is the first. */
export function shownScreens(document: Document): Found[] {
  const entry = document.flow.entryScreenId;
  return screensOf(document).toSorted((a, b) => Number(b.id === entry) - Number(a.id === entry));
}

/** Moves a screen behind another as they are shown, or first. Runs start with the one that is first then. Where screens
 * lead from one to the next they do so in the new order; other ways between screens stay as they are. */
export const moveScreen: Command<{ screen: NodeId; after: NodeId | null }> = {
  id: 'move-screen',
  when(editor, { screen, after }) {
    const both = after === null ? [screen] : [screen, after];
    return both.every((id) => nodeOf(editor.document, id)?.kind === 'screen') || noScreen;
  },
  build: (editor, { screen, after }) => ({
    step: {
      name: `Move ${label(editor.document, screen)}`,
      operations: reordered(editor, screen, after === screen ? above(editor.document, screen) : after),
    },
    select: { screen },
  }),
};

/** Lets runs start with a screen, which is the first of the list then. */
export const makeFirst: Command<{ screen: NodeId }> = {
  id: 'make-first-screen',
  when(editor, { screen }) {
    if (nodeOf(editor.document, screen)?.kind !== 'screen') return noScreen;
    return editor.document.flow.entryScreenId !== screen || 'It is the first already';
  },
  build: (editor, { screen }) => ({
    step: { name: `Make ${label(editor.document, screen)} the first`, operations: reordered(editor, screen, null) },
    select: { screen },
  }),
};

function above(document: Document, screen: NodeId): NodeId | null {
  const shown = shownScreens(document).map(({ id }) => id);
  return shown[shown.indexOf(screen) - 1] ?? null;
}

function reordered(editor: Editor, screen: NodeId, after: NodeId | null): Operation[] {
  const { document } = editor;
  const was = shownScreens(document).map(({ id }) => id);
  const is = was.filter((id) => id !== screen);
  is.splice(after === null ? 0 : is.indexOf(after) + 1, 0, screen);
  if (was.every((id, at) => id === is[at]) && document.flow.entryScreenId === is[0]) return [];
  const slot = { parent: 'flow', slot: 'screens' };
  // The list is stored as it is shown: the one that was first may stand elsewhere in it.
  const operations = screensOf(document)[0]!.id === was[0] ? [] : movesTo(editor, [was[0]!], { ...slot, after: null });
  if (screen !== was[0] || after !== null)
    operations.push({ op: 'move', node: screen, ...slot, after, before: is[is.indexOf(screen) + 1] ?? null });
  if (document.flow.entryScreenId !== is[0])
    operations.push({ op: 'set', node: 'flow', path: ['entryScreenId'], value: is[0]! });
  return [...operations, ...inLine(document, was, is, screen)];
}

/** Lists what leads through screens in another order. Only a screen that one other leads to, or that is the first, is
 * taken out of its line, and only to between two of which one leads to the other. */
function inLine(document: Document, was: readonly NodeId[], is: readonly NodeId[], screen: NodeId): Operation[] {
  const ways = new Map<NodeId, Json>();
  const stored = (id: NodeId) => find(nodeOf(document, id)!.object, ['next', 'default']) ?? null;
  const next = (id: NodeId) => (ways.has(id) ? ways.get(id)! : stored(id));
  const leading = references(document, screen).filter(
    ({ node }) => node !== 'flow' && node !== `flow/layout/${screen}` && !isInside(document, node, screen),
  );
  const [before, ...more] = leading;
  if (before ? more.length > 0 || before.path.join() !== 'next,default' : was[0] !== screen) return [];
  if (before) ways.set(before.node, stored(screen));
  const at = is.indexOf(screen);
  const [above, below] = [is[at - 1], is[at + 1]];
  if (above !== undefined && below !== undefined && next(above) !== below) return [];
  ways.set(screen, above === undefined ? (below ?? null) : next(above));
  if (above !== undefined) ways.set(above, screen);
  return [...ways].flatMap(([node, value]): Operation[] =>
    stored(node) === value ? [] : [{ op: 'set', node, path: ['next', 'default'], value }],
  );
}

/** Removes a screen as removeSteps does, and selects the one beside it. */
export const removeScreen: Command<{ screen: NodeId }> = {
  id: 'remove-screen',
  when: (editor, { screen }) =>
    nodeOf(editor.document, screen)?.kind === 'screen' ? removeSteps.when(editor, { steps: [screen] }) : noScreen,
  build(editor, { screen }, newId) {
    const screens = shownScreens(editor.document).map((one) => one.id);
    const beside = screens[screens.indexOf(screen) + 1] ?? screens[screens.indexOf(screen) - 1];
    return { ...removeSteps.build(editor, { steps: [screen] }, newId), select: { screen: beside ?? null } };
  },
};
