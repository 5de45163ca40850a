import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonical, isObject } from '../../document/canonical';
import { insert } from '../../document/commands/insert';
import { screensOf } from '../../document/commands/screens';
import { eachNode, type Flow, nodeOf } from '../../document/document';
import { Editor } from '../../document/editor';
import type { Json, JsonObject, Step } from '../../document/operation';
import { spotOf } from '../spot';
import { blocks } from './blocks';
import { isDrawn } from './Drawing';

const examples = new URL('../../../../../manifest/examples/', import.meta.url);
const stored = new URL('../../../../../manifest/edit/testdata/blocks.json', import.meta.url);
const all = blocks.flatMap(({ additions }) => additions);
const empty: Flow = {
  ...{ flowId: 'a0000000-0000-4000-8000-00000000000b', schemaVersion: 7, version: 1, defaultLocale: 'en' },
  ...{ locales: ['en'], entryScreenId: null, screens: [] },
};
const drafts: Record<string, Flow> = { empty };
for (const name of readdirSync(examples).filter((one) => one.endsWith('.json')))
  drafts[name] = JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as Flow;

/** Opens a draft; ids are new_1, new_2 and so on. */
function edit(flow: Flow): Editor {
  let made = 0;
  return Editor.open(structuredClone(flow), (prefix) => `${prefix}_new_${++made}`);
}

/** Adds every block to the first screen, as the panel does. */
function addAll(editor: Editor) {
  for (const block of all) {
    editor.select({ screen: screensOf(editor.document)[0]?.id ?? null });
    const found = spotOf(editor, block);
    if (typeof found === 'string') throw new Error(found);
    expect(editor.run(insert, found.insertion)).toBe(true);
    expect(editor.canUndo).toBe(`Add ${block.name}`);
    const [id] = editor.selection.nodes;
    expect(editor.object(id!)).toMatchObject({ name: block.name });
  }
}

describe.each(Object.entries(drafts))('in %s', (_, draft) => {
  test('every block is one step, which undo takes back whole', () => {
    const editor = edit(draft);
    addAll(editor);
    expect(editor.steps).toBe(all.length);
    while (editor.canUndo !== undefined) editor.undo();
    expect(canonical(editor.document.flow)).toBe(canonical(draft));
  });

  test('a block that is added twice has ids and keys of its own', () => {
    const editor = edit(draft);
    addAll(editor);
    addAll(editor);
    const keys: Json[] = [];
    eachNode(nodeOf(editor.document, 'flow')!, ({ object }) => {
      if (object.fieldKey !== undefined) keys.push(object.fieldKey);
    });
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test('every block has a drawing, and a name of its own', () => {
  expect(all.filter(({ id }) => !isDrawn(id))).toEqual([]);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

test('with a theme, colors are those that it names', () => {
  const names = ['primary', 'primaryForeground', 'accent', 'background', 'foreground'];
  const editor = edit({ ...empty, theme: Object.fromEntries(names.map((name) => [name, '#123456'])) });
  addAll(editor);
  const colors = new Set<Json>();
  const collect = (value: Json) => {
    if (Array.isArray(value)) value.forEach(collect);
    if (!isObject(value)) return;
    for (const [name, one] of Object.entries(value as JsonObject))
      if (name === 'color' || name === 'background') colors.add(one);
      else collect(one);
  };
  collect(editor.document.flow.screens!);
  const known = ['transparent', ...names.map((name) => `$${name}`)];
  expect([...colors].filter((one) => !known.includes(String(one)))).toEqual([]);
});

/** manifest/edit/blocks_test.go takes these steps and checks that nothing in the way of publishing came with them. */
test('testdata/blocks.json has the steps that add them (UPDATE_VECTORS=1 writes it)', () => {
  const cases = Object.entries(drafts).map(([base, draft]) => {
    const editor = edit(draft);
    const log: Step[] = [];
    editor.onEdit = (one) => log.push(JSON.parse(JSON.stringify(one.step)) as Step);
    addAll(editor);
    return { base, log };
  });
  const text = `${canonical({ bases: { empty }, cases } as unknown as Json)}\n`;
  if (process.env.UPDATE_VECTORS) writeFileSync(stored, text);
  expect(readFileSync(stored, 'utf8') === text).toBe(true);
});
