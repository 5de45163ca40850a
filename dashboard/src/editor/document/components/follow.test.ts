import { expect, test } from 'vitest';
import { apply } from '../apply';
import { canonical, find } from '../canonical';
import { copyNodes } from '../commands/copies';
import { type Document, eachNode, type Found, nodeOf, open } from '../document';
import { Editor } from '../editor';
import { isRefusal, type JsonObject, type Operation } from '../operation';
import { differences, topOf } from './differences';
import { follow, inWordsOf } from './follow';
import { type Content, layersOf, marked, markOf, unmarked } from './marks';

const id = '01890000-0000-7000-8000-000000000001';
const text = (id: string, words: string, style: JsonObject = {}): JsonObject => ({
  ...{ id, kind: 'text', text: { default: words }, style },
});
const stack = (id: string, children: JsonObject[], more: JsonObject = {}): JsonObject => ({
  ...{ id, kind: 'stack', direction: 'vertical', gap: 8, children, ...more },
});
const card = stack('c_card', [
  text('c_title', 'Yearly', { fontSize: 20, color: '#111111' }),
  text('c_price', '$39.99'),
  stack('c_more', [text('c_hint', 'Cancel anytime')]),
  { id: 'c_name', kind: 'text_input', fieldKey: 'name', placeholder: { default: 'Name' } },
]);
const first: Content = { revision: 1, tree: card, slots: [{ layerId: 'c_more', name: 'More' }], overridable: null };
const at = (revision: number, tree: JsonObject, more: Partial<Content> = {}): Content => ({
  ...first,
  revision,
  tree,
  ...more,
});

const flowOf = (children: JsonObject[]) => ({
  entryScreenId: 'scr',
  screens: [{ id: 'scr', name: 'Screen', next: { default: null }, regions: { body: stack('body', children) } }],
});

/** A flow with an instance, which is selected by its id `root`. */
function withInstance(content = first) {
  const editor = Editor.open(flowOf([text('t', 'Before'), { id: 'n', kind: 'text_input', fieldKey: 'name' }]), ids());
  const tree = marked(content.tree, { id, revision: content.revision });
  const [object] = copyNodes(editor, [{ kind: 'stack', object: tree }], editor.newId).objects;
  editor.runStep({
    name: 'Add',
    operations: [{ op: 'insert', parent: 'body', slot: 'children', subtree: object!, after: 't', before: null }],
  });
  const root = String(object!.id);
  const layer = (of: string) => layersOf(nodeOf(editor.document, root)!).get(of)!;
  return { editor, root, layer };
}
function ids(from = 0) {
  let made = from;
  return (prefix: string) => `${prefix}_${++made}`;
}

function after(document: Document, operations: Operation[]): Document {
  const done = apply(document, { name: '', operations });
  if (isRefusal(done)) throw new Error(JSON.stringify(done));
  const back = apply(done.document, { name: '', operations: done.inverse });
  if (isRefusal(back)) throw new Error(JSON.stringify(back));
  expect(canonical(back.document.flow)).toBe(canonical(document.flow)); // one undo takes it back
  return done.document;
}

test('an instance becomes what the component is; what it changed, and what is in its slots, stays', () => {
  const { editor, root, layer } = withInstance();
  const name = String(layer('c_name').object.fieldKey);
  expect(name).toBe('name_2'); // the flow asks for a name already
  const set = (of: string, path: string[], value: string) =>
    editor.runStep({ name: '', operations: [{ op: 'set', node: layer(of).id, path, value }] });
  set('c_title', ['text', 'default'], 'Monthly');
  set('c_hint', ['text', 'default'], 'Mine');
  const next = at(
    2,
    stack(
      'c_card',
      [
        text('c_price', '$29.99'),
        text('c_title', 'Per year', { fontSize: 24, color: '#111111' }),
        text('c_badge', 'Best'),
        stack('c_more', [text('c_other', 'Never seen')], { gap: 4 }),
        { id: 'c_name', kind: 'text_input', fieldKey: 'name', placeholder: { default: 'Your name' } },
      ],
      { gap: 16 },
    ),
  );
  const operations = follow(editor.document, root, id, first, next, editor.newId);
  const now = after(editor.document, operations);
  const card = nodeOf(now, root)!.object;
  const children = card.children as readonly JsonObject[];
  expect([card.gap, markOf(card)]).toEqual([16, { id, revision: 2, layer: 'c_card' }]);
  expect(children.map((child) => markOf(child)?.layer)).toEqual(['c_price', 'c_title', 'c_badge', 'c_more', 'c_name']);
  expect(children[0]).toMatchObject({ text: { default: '$29.99' } });
  expect(children[1]).toMatchObject({ text: { default: 'Monthly' }, style: { fontSize: 24 } });
  expect(children[3]).toMatchObject({ gap: 4, children: [{ text: { default: 'Mine' } }] });
  expect(children[4]).toMatchObject({ fieldKey: 'name_2', placeholder: { default: 'Your name' } });
  expect(follow(now, root, id, next, next, editor.newId)).toEqual([]);
});

test('layers that an instance removed stay away, its own stay, and what holds its own is not taken from it', () => {
  const { editor, root, layer } = withInstance();
  const own = text('lyr_own', 'Own');
  const operations: Operation[] = [
    { op: 'remove', node: layer('c_price').id },
    { op: 'insert', parent: layer('c_more').id, slot: 'children', subtree: own, after: null, before: null },
  ];
  editor.runStep({ name: '', operations });
  const next = at(2, stack('c_card', [text('c_title', 'Yearly'), text('c_price', '$1')]), { slots: [] });
  const now = after(editor.document, follow(editor.document, root, id, first, next, editor.newId));
  const children = nodeOf(now, root)!.object.children as readonly JsonObject[];
  expect(children.map((child) => markOf(child)?.layer ?? 'own')).toEqual(['c_title', 'own']);
  expect(canonical(children)).toContain('Own');
});

test('what may not be overridden follows', () => {
  const { editor, root, layer } = withInstance();
  const set = (path: string[], value: string) => ({ op: 'set', node: layer('c_title').id, path, value }) as const;
  editor.runStep({ name: '', operations: [set(['text', 'default'], 'Mine'), set(['style', 'color'], '#ff0000')] });
  const next = at(2, card, { overridable: [{ layerId: 'c_title', path: ['text'] }] });
  const now = after(editor.document, follow(editor.document, root, id, first, next, editor.newId));
  expect(layersOf(nodeOf(now, root)!).get('c_title')!.object).toMatchObject({
    text: { default: 'Mine' },
    style: { color: '#111111' },
  });
});

test('a component of another kind, and one whose revision is not kept, are followed too', () => {
  const { editor, root } = withInstance();
  const image: JsonObject = { id: 'c_card', kind: 'image', media: { url: 'https://example.com/a.png' } };
  const now = after(editor.document, follow(editor.document, root, id, first, at(2, image), editor.newId));
  expect(nodeOf(now, root)!.object).toMatchObject({ kind: 'image', component: { revision: 2 } });
  const lost = follow(
    editor.document,
    root,
    id,
    undefined,
    at(60, stack('c_card', [text('c_title', 'New')])),
    editor.newId,
  );
  const kept = nodeOf(after(editor.document, lost), root)!.object;
  expect(canonical(kept)).toContain('Yearly');
  expect(markOf(kept)).toMatchObject({ revision: 60 });
});

/** Changes a tree as somebody may: properties, order, places, layers that come and go. */
function changed(document: Document, root: string, random: () => number, newId: (prefix: string) => string): Document {
  let now = document;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  for (let i = 0; i < 5; i++) {
    const nodes: Found[] = [];
    eachNode(nodeOf(now, root)!, (node) => nodes.push(node));
    const node = pick(nodes);
    const stack = pick(nodes.filter(({ kind }) => kind === 'stack')).id;
    const subtree = text(newId('own'), `Own ${i}`);
    const place = { parent: stack, slot: 'children', after: null, before: null };
    const operation = pick<Operation>([
      { op: 'set', node: node.id, path: ['name'], value: `Name ${Math.floor(random() * 9)}` },
      { op: 'set', node: node.id, path: ['style', 'fontSize'], value: 10 + Math.floor(random() * 9) },
      { op: 'unset', node: node.id, path: ['style'] },
      { op: 'insert', subtree, ...place },
      ...(node.id === root
        ? []
        : ([
            { op: 'remove', node: node.id },
            { op: 'move', node: node.id, ...place },
          ] as const)),
    ]);
    const done = apply(now, { name: '', operations: [operation] });
    if (!isRefusal(done)) now = done.document;
  }
  return now;
}

test('random instances follow random components by the same laws', () => {
  for (let seed = 1; seed <= 400; seed++) {
    let state = seed * 2654435761;
    const random = () => {
      state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x6d2b79f5) | 0;
      return (state >>> 0) / 4294967296;
    };
    const { editor, root } = withInstance();
    const mine = seed % 4 === 0 ? editor.document : changed(editor.document, root, random, ids(1000));
    const whole = changed(open(flowOf([card])), 'c_card', random, ids(2000));
    const next = at(2, nodeOf(whole, 'c_card')!.object, {
      slots: whole.parents.has('c_more') ? first.slots : [],
    });
    const newId = ids(3000);
    const now = after(mine, follow(mine, root, id, first, next, newId));
    const instance = nodeOf(mine, root)!;
    const words = inWordsOf(mine, instance, id, first, next, ids(3000));
    const [own, old, is] = [instance, topOf(words.old), topOf(words.next)].map(table);
    const result = table(nodeOf(now, root)!);
    for (const [key, node] of result) {
      const [a, b, c] = [own!.get(key), old!.get(key), is!.get(key)];
      if (!a || !c) continue;
      for (const path of differences(node.kind, node.object, c.object)) // what is not the component's is the instance's
        expect([seed, find(node.object, path)]).toEqual([seed, find(a.object, path)]);
      for (const path of differences(node.kind, a.object, b!.object))
        if (path[0] !== 'component')
          expect([seed, key, find(node.object, path)]).toEqual([seed, key, find(a.object, path)]);
    }
    // Layers of the instance's own stay, and what both have.
    for (const [key] of own!)
      if (!old!.has(key) || is!.has(key)) expect([seed, key, result.has(key)]).toEqual([seed, key, true]);
    for (const [key] of is!)
      if (!old!.has(key) && parentStays(key, is!, result)) expect([seed, result.has(key)]).toEqual([seed, true]);
    // An instance that changed nothing is the component, but for what is in its slots.
    if (mine === editor.document && next.slots.length === 0)
      expect(canonical(unmarked(nodeOf(now, root)!.object))).toBe(canonical(unmarked(words.next)));
    expect(follow(now, root, id, next, next, newId)).toEqual([]);
  }
});

const table = (root: Found) => {
  const out = new Map<string, Found>();
  eachNode(root, (node) => out.set(node.id, node));
  return out;
};

/** Whether a new layer of a component has where it belongs: not inside of what an instance removed, nor in a slot. */
function parentStays(key: string, next: Map<string, Found>, result: Map<string, Found>): boolean {
  for (let at = next.get(key)!.parent; at; at = at.parent) {
    if (!result.has(at.id) || markOf(at.object)?.layer === 'c_more') return false;
  }
  return true;
}
