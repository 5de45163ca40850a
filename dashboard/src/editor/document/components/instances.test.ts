import { expect, test } from 'vitest';
import { insert } from '../commands/insert';
import { move } from '../commands/move';
import { paste } from '../commands/paste';
import { nodeOf } from '../document';
import { Editor } from '../editor';
import type { JsonObject } from '../operation';
import { detach, maySave } from './detach';
import { followAll } from './followAll';
import { contentOf, mayOverride, overridesOf, resetAll } from './instances';
import { type Content, instancesIn, layersOf, marked, markOf } from './marks';

const id = '01890000-0000-7000-8000-000000000001';
const text = (id: string, words: string): JsonObject => ({ id, kind: 'text', text: { default: words } });
const stack = (id: string, children: JsonObject[]): JsonObject => ({
  id,
  kind: 'stack',
  direction: 'vertical',
  children,
});
const card: Content = {
  revision: 1,
  tree: stack('c_card', [text('c_title', 'Yearly'), stack('c_more', [])]),
  slots: [{ layerId: 'c_more', name: 'More' }],
  overridable: [{ layerId: 'c_title', path: ['text'] }],
};
const copy = marked(card.tree, { id, revision: 1 });

function opened() {
  let made = 0;
  const flow = {
    entryScreenId: 'scr',
    screens: [
      { id: 'scr', name: 'Screen', next: { default: null }, regions: { body: stack('body', [text('t', 'Before')]) } },
    ],
  };
  const editor = Editor.open(flow, (prefix) => `${prefix}_${++made}`);
  editor.select({ nodes: ['t'] });
  return editor;
}
const add = (editor: Editor, parent = 'body') =>
  editor.run(insert, { kind: 'stack', copy, to: { parent, slot: 'children' } });

test('an instance is added as the component is, and never inside of another one of it', () => {
  const editor = opened();
  expect(add(editor)).toBe(true);
  const [instance] = instancesIn(editor.document);
  expect(overridesOf(editor.document, instance!, card).paths.size).toBe(0);
  const slot = layersOf(instance!.root).get('c_more')!.id;
  expect(add(editor, slot)).toMatch(/can't stand inside/);
  expect(add(editor)).toBe(true);
  const second = instancesIn(editor.document)[1]!.root.id;
  expect(editor.run(move, { nodes: [second], to: { parent: slot, slot: 'children' } })).toMatch(/can't stand inside/);
  const clip = JSON.stringify({ svc: 'layers', nodes: [instance!.root.object] });
  expect(editor.run(paste, { text: clip, to: { parent: slot, slot: 'children' } })).toMatch(/can't stand inside/);
});

test('what an instance has of its own is told, reset, and made the component', () => {
  const editor = opened();
  add(editor);
  const first = () => instancesIn(editor.document)[0]!;
  const title = layersOf(first().root).get('c_title')!.id;
  const slot = layersOf(first().root).get('c_more')!.id;
  editor.runStep({
    name: '',
    operations: [
      { op: 'set', node: title, path: ['text', 'default'], value: 'Mine' },
      { op: 'insert', parent: slot, slot: 'children', subtree: text('own', 'Own'), after: null, before: null },
      {
        op: 'insert',
        parent: first().root.id,
        slot: 'children',
        subtree: text('new', 'New'),
        after: null,
        before: null,
      },
    ],
  });
  const overrides = overridesOf(editor.document, first(), card);
  expect([...overrides.paths]).toEqual([[title, [['text', 'default']]]]);
  expect([mayOverride(card, 'c_title', ['text']), mayOverride(card, 'c_title', ['style', 'color'])]).toEqual([
    true,
    false,
  ]);

  const { content, layers } = contentOf(first(), card, editor.newId);
  expect(content.tree).toMatchObject({
    id: 'c_card',
    children: [
      { id: 'c_title', text: { default: 'Mine' } },
      { id: 'c_more', children: [] },
      { text: { default: 'New' } },
    ],
  });
  expect(JSON.stringify(content.tree)).not.toContain('"component"');
  expect(layers.get(title)).toBe('c_title');
  expect(layers.has('own')).toBe(false); // what is in a slot is the instance's

  expect(editor.runAll('Reset', resetAll(editor.document, first(), overrides, card))).toBe(true);
  expect(overridesOf(editor.document, first(), card).paths.size).toBe(0);
  expect(editor.object('new')).toBeUndefined();
  expect(editor.object('own')).toBeDefined();
});

test('all instances follow by one step of undo, and two editors do it the same way', () => {
  const editor = opened();
  add(editor);
  add(editor);
  const now = {
    ...card,
    revision: 2,
    tree: stack('c_card', [text('c_title', 'Per year'), text('c_new', 'New'), stack('c_more', [])]),
  };
  const other = Editor.open(editor.document.flow);
  const before = new Map([[1, card]]);
  for (const one of [editor, other]) expect(followAll(one, 'Follow', [{ id, now, before }])).toBe(2);
  expect(other.document.flow).toEqual(editor.document.flow);
  expect(JSON.stringify(editor.document.flow).match(/Per year/g)).toHaveLength(2);
  expect(followAll(editor, 'Follow', [{ id, now, before }])).toBe(0);
  editor.undo();
  expect(instancesIn(editor.document).map(({ revision }) => revision)).toEqual([1, 1]);
});

test('a detached instance is plain layers; what can’t be a component says why', () => {
  const editor = opened();
  add(editor);
  const root = instancesIn(editor.document)[0]!.root.id;
  editor.select({ nodes: [root] });
  expect(maySave(editor)).toMatch(/is an instance of a component already/);
  expect(editor.run(detach, { root })).toBe(true);
  expect(markOf(nodeOf(editor.document, root)!.object)).toBeUndefined();
  expect(JSON.stringify(editor.document.flow)).not.toContain('"component"');
  expect(maySave(editor)).toBe(true);
  editor.select({ nodes: ['body'] });
  expect(maySave(editor)).toMatch(/has its place/);
});
