import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changes } from '../document/changes';
import { type Flow, isItem, nodeOf, open } from '../document/document';
import { Editor } from '../document/editor';
import type { NodeId, Operation } from '../document/operation';
import { small } from '../document/TestRandom';
import { type Datum, dataIn, optionUses, type Place } from './data';

const examples = new URL('../../../../manifest/examples/', import.meta.url);
const drafts: [string, Flow][] = [['small', small]];
for (const name of readdirSync(examples).filter((one) => one.endsWith('.json')))
  drafts.push([name, JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as Flow]);

const key = (data: readonly Datum[], group: string, key: string) =>
  data.find((one) => one.group === group && one.key === key);

test('a value is listed with what it holds, what sets it, and where conditions and texts use it', () => {
  const data = dataIn(open(small));
  const at = ({ node, step, layer, inText }: Place) => [node, step, layer, inText];
  expect(data.map((one) => [one.group, one.key, one.type])).toEqual([
    ['field', 'goal', 'One option'],
    ['field', 'age', 'One option'],
    ['attribute', 'country', 'Text'],
    ['device', 'platform', 'Text'],
    ['device', 'locale', 'Text'],
  ]);
  const goal = key(data, 'field', 'goal')!;
  expect(goal.setBy.map(at)).toEqual([['lyr_goal', 'Goal', 'Single choice', false]]);
  expect(goal.usedIn.map(at)).toEqual([
    ['dec_1', 'Decision', '', false],
    ['lyr_hello', 'Plan', '{Goal}, {Goal}', true],
  ]);
  expect(key(data, 'attribute', 'country')!.usedIn.map(at)).toEqual([['dec_1', 'Decision', '', false]]);
  expect(optionUses(open(small), 'goal', 'daily').map(at)).toEqual([['dec_1', 'Decision', '', false]]);
  expect(optionUses(open(small), 'goal', 'never')).toEqual([]);
});

test('what is used but nothing sets is listed, and so is a key that conditions ask for unlisted', () => {
  const editor = Editor.open(structuredClone(small));
  editor.runStep({
    name: '',
    operations: [
      { op: 'remove', node: 'lyr_goal' },
      { op: 'set', node: 'flow', path: ['sdkAttributeKeys'], value: ['plan'] },
    ],
  });
  const data = dataIn(editor.document);
  expect(key(data, 'field', 'goal')).toMatchObject({ setBy: [], name: 'Goal', type: 'Any' });
  expect(key(data, 'field', 'goal')!.usedIn).toHaveLength(2);
  expect(key(data, 'attribute', 'plan')).toMatchObject({ usedIn: [], type: 'Any' });
  expect(key(data, 'attribute', 'country')!.usedIn).toHaveLength(1);
});

/** The nodes whose own properties are others after an operation: layers, steps and the flow, items as their owners. */
function touched(flow: Flow, operation: Operation): Set<NodeId> {
  const before = Editor.open(structuredClone(flow));
  const after = Editor.open(structuredClone(flow));
  if (after.runStep({ name: '', operations: [operation] }) !== true) return new Set();
  const bare = (editor: Editor, id: NodeId) => {
    const node = nodeOf(editor.document, id);
    return JSON.stringify(node?.object, (_, value) =>
      value !== node?.object && value && typeof value === 'object' && editor.document.parents.has(value.id)
        ? undefined
        : value,
    );
  };
  const out = new Set<NodeId>();
  for (const id of changes(before.document, after.document).keys()) {
    if (bare(before, id) === bare(after, id)) continue;
    let node = nodeOf(before.document, id) ?? nodeOf(after.document, id)!;
    while (isItem(node.kind) && node.parent) node = node.parent;
    out.add(node.id);
  }
  return out;
}

test.each(drafts)('a rename changes what is listed, and nothing else: %s', (_, flow) => {
  const data = dataIn(open(flow));
  let renamed = 0;
  for (const { group, key: from, setBy, usedIn, options } of data) {
    if (group === 'device' || from.startsWith('permission:')) continue;
    const places = new Set([...setBy, ...usedIn].map(({ node }) => node));
    const changed = touched(flow, { op: 'rename', key: group, from, to: 'another_key' });
    expect([from, [...changed].filter((id) => id !== 'flow').sort()]).toEqual([from, [...places].sort()]);
    renamed++;
    for (const { value } of options) {
      const owner = setBy[0]!.node;
      const uses = new Set([owner, ...optionUses(open(flow), from, value).map(({ node }) => node)]);
      const option = touched(flow, { op: 'rename', key: 'option', owner, from: value, to: 'another_option' });
      expect([value, [...option].sort()]).toEqual([value, [...uses].sort()]);
    }
  }
  expect(renamed).toBeGreaterThanOrEqual(flow === small ? 3 : 0);
});
