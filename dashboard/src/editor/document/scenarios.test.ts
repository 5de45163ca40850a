import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { canonical } from './canonical';
import type { Flow } from './document';
import type { Json, Operation } from './operation';
import { TestEditor } from './TestEditor';
import { settle, TestNetwork, type TestTab } from './TestNetwork';
import { small } from './TestRandom';

/** A screen "Goal" with a title, a price and a card of two texts. */
const text = (id: string, words: string) => ({ id, kind: 'text', text: { default: words } });
const stack = (id: string, name: string, children: readonly Json[]) => ({ id, name, kind: 'stack', children });
const cards: Flow = {
  screens: [
    {
      id: 'scr_1',
      name: 'Goal',
      next: { default: null },
      regions: {
        body: stack('lyr_body', 'Body', [
          text('lyr_price', 'Price'),
          text('lyr_title', 'Title'),
          stack('lyr_card', 'Card', [text('lyr_name', 'Name'), text('lyr_note', 'Note')]),
        ]),
      },
    },
  ],
};

const insert = (id: string, words: string, after: string, parent = 'lyr_body'): Operation => ({
  op: 'insert',
  parent,
  slot: 'children',
  subtree: text(id, words),
  after,
  before: null,
});
const place = (parent: string) => ({ parent, slot: 'children', after: null, before: null });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets a second pass, with what others did arriving all the while. */
async function pass(network: TestNetwork, milliseconds = 1000) {
  for (let at = 0; at < milliseconds; at += 50) {
    await vi.advanceTimersByTimeAsync(50);
    await settle();
    network.stream();
  }
}

async function openBoth(flow: Flow) {
  const network = new TestNetwork(flow);
  const tabs = [await network.open('Anna'), await network.open('Ben')] as const;
  const [anna, ben] = tabs.map((tab) => new TestEditor(tab.editor).open()) as [TestEditor, TestEditor];
  return { network, tabs, anna, ben };
}

function expectAgreement(network: TestNetwork, tabs: readonly TestTab[]) {
  const bytes = canonical(network.server.document.flow);
  for (const { editor } of tabs) {
    expect(canonical(editor.document.flow)).toBe(bytes);
    expect(editor.saveState).toBe('saved');
  }
}

test('1. dragging “Price” below “Title” is one named undo, and undo selects what was selected', () => {
  const page = TestEditor.open(cards);
  page.click('Note').drag('Price').below('Title');
  expect(page.outline()).toEqual(['Body', '  Title', '  Price', '  Card', '    Name', '    Note']);
  expect(page.editor.canUndo).toBe('Move “Price”');
  expect(page.selection()).toEqual(['Price']);
  page.click('Card');
  page.undo();
  expect(page.outline()).toEqual(['Body', '  Price', '  Title', '  Card', '    Name', '    Note']);
  expect(page.selection()).toEqual(['Price']);
});

test('2. 600 moves of a drag in a second are one undo and at most eleven batches', async () => {
  const network = new TestNetwork(cards);
  const tab = await network.open('Anna');
  const page = new TestEditor(tab.editor).open();
  const drag = page.drag('Card');
  for (let tick = 0; tick < 600; tick++) {
    drag.through(['gap'], [tick]);
    await vi.advanceTimersByTimeAsync(tick % 3 === 0 ? 1 : 2);
  }
  await pass(network);
  expect(network.server.batches).toBeLessThanOrEqual(11);
  expect(network.server.batches).toBeGreaterThan(5);
  expectAgreement(network, [tab]);
  expect(tab.editor.object('lyr_card')).toMatchObject({ gap: 599 });
  page.undo();
  expect(canonical(tab.editor.document.flow)).toBe(canonical(cards));
  expect(tab.editor.canUndo).toBeUndefined();
  const before = network.server.log.length;
  await pass(network);
  const sent = network.server.log.slice(before).flatMap((edit) => edit.steps.flatMap((step) => step.operations));
  expect(sent).toEqual([{ op: 'unset', node: 'lyr_card', path: ['gap'] }]);
});

test('3. two inserts after “Title” have one order on both sides', async () => {
  const { network, tabs, anna, ben } = await openBoth(cards);
  network.pause('Anna', 'Ben');
  anna.step(insert('lyr_a', 'A', 'lyr_title'));
  ben.step(insert('lyr_b', 'B', 'lyr_title'));
  await pass(network, 200);
  await network.deliver('Anna');
  await network.deliver('Ben');
  await pass(network);
  expectAgreement(network, tabs);
  expect(anna.outline().slice(0, 5)).toEqual(['Body', '  Price', '  Title', '  B', '  A']);
});

test('4. Anna removes the card in which Ben types: he sees who, brings it back, and keeps his words', async () => {
  const { network, tabs, anna, ben } = await openBoth(cards);
  network.pause('Ben');
  ben.doubleClick('Name').type(' of yours');
  anna.click('Card').step({ op: 'remove', node: 'lyr_card' });
  await pass(network, 300);
  await network.deliver('Ben');
  await pass(network);
  expectAgreement(network, tabs);
  expect(ben.outline()).toEqual(['Body', '  Price', '  Title']);
  expect(ben.problems()).toEqual(['Change the text of “Name”: “Card” was removed by Anna']);
  expect(ben.editor.canUndo).toBeUndefined();
  const [refused] = ben.editor.refused;
  expect(ben.editor.bringBack(refused!)).toBe(true);
  expect(ben.problems()).toEqual([]);
  await pass(network);
  expectAgreement(network, tabs);
  expect(anna.outline()).toEqual(['Body', '  Price', '  Title', '  Card', '    Name of yours', '    Note']);
  expect(ben.editor.canUndo).toBe('Bring back “Card”');
});

test('5. X into Y and Y into X: one is refused, and nothing is lost', async () => {
  const { network, tabs, anna, ben } = await openBoth({
    screens: [
      {
        id: 'scr_1',
        regions: {
          body: stack('lyr_body', 'Body', [stack('lyr_x', 'X', []), stack('lyr_y', 'Y', [text('lyr_t', 'T')])]),
        },
      },
    ],
  });
  network.pause('Anna', 'Ben');
  anna.drag('X').into('Y');
  ben.drag('Y').into('X');
  await pass(network, 200);
  await network.deliver('Anna');
  await network.deliver('Ben');
  await pass(network);
  expectAgreement(network, tabs);
  expect(anna.outline()).toEqual(['Body', '  Y', '    T', '    X']);
  expect(ben.problems()).toEqual(["Move “Y”: “Y” can't go inside itself"]);
  expect(anna.problems()).toEqual([]);
});

test('6. Anna renames “goal”; the condition that Ben adds offline has the new key', async () => {
  const { network, tabs, anna, ben } = await openBoth(small);
  network.pause('Ben');
  const condition = { kind: 'predicate', variable: { kind: 'field', fieldKey: 'goal' }, predicate: { type: 'is_set' } };
  ben.step({ op: 'set', node: 'dec_1/cases/one', path: ['expression'], value: condition });
  await pass(network, 400);
  ben.step({ op: 'set', node: 'scr_1', path: ['note'], value: 1 });
  anna.step({ op: 'rename', key: 'field', from: 'goal', to: 'objective' });
  await pass(network, 400);
  ben.step({ op: 'set', node: 'dec_1/cases/one', path: ['name'], value: 'later' });
  await network.deliver('Ben');
  await pass(network);
  expectAgreement(network, tabs);
  expect(ben.editor.object('dec_1/cases/one')).toMatchObject({
    expression: { ...condition, variable: { kind: 'field', fieldKey: 'objective' } },
  });
  expect(canonical(network.server.document.flow)).not.toContain('"fieldKey":"goal"');
});

test.each(['reached the server', 'was lost'])(
  '7. the tab is killed before the answer; its batch %s: applied once',
  async (fate) => {
    const network = new TestNetwork(cards);
    const tab = await network.open('Anna');
    const page = new TestEditor(tab.editor).open();
    network.pause('Anna');
    page.step(insert('lyr_a', 'A', 'lyr_title'));
    await pass(network, 200);
    page.step(insert('lyr_b', 'B', 'lyr_a'));
    page.drag('Price').below('A');
    await pass(network, 400);
    tab.kill();
    if (fate === 'was lost') network.forget('Anna');
    await network.drop('Anna');
    const again = await network.open('Anna');
    expect(again.lost).toEqual([]);
    const after = new TestEditor(again.editor).open();
    expect(after.outline().slice(0, 5)).toEqual(['Body', '  Title', '  A', '  Price', '  B']);
    expectAgreement(network, [again]);
    const steps = network.server.log.flatMap((edit) => edit.steps.map((step) => step.name));
    expect(steps).toEqual(['Add “A”', 'Add “B”', 'Move “Price”']);
    expect((await network.open('Anna')).lost).toEqual([]);
    expect(network.server.log.flatMap((edit) => edit.steps)).toHaveLength(3);
  },
);

test('8. of a duplicated tab, the edits of both arrive', async () => {
  const network = new TestNetwork(cards);
  const tabs = [await network.open('Anna'), await network.open('Anna')];
  expect(tabs[0]!.sync.client).not.toBe(tabs[1]!.sync.client);
  const [left, right] = tabs.map((tab) => new TestEditor(tab.editor).open()) as [TestEditor, TestEditor];
  left.set('Title', ['text', 'default'], 'Left');
  right.set('Price', ['text', 'default'], 'Right');
  await pass(network);
  expectAgreement(network, tabs);
  expect(left.outline().slice(0, 3)).toEqual(['Body', '  Right', '  Left']);
});

test('9. an option added to a question that was removed leaves nothing half done', async () => {
  const { network, tabs, anna, ben } = await openBoth(small);
  network.pause('Ben');
  const option = { op: 'insert', parent: 'lyr_goal', slot: 'optionBindings', after: null, before: null } as const;
  ben.editor.runStep({
    name: 'Add an option',
    operations: [
      { op: 'set', node: 'lyr_title', path: ['note'], value: 1 },
      { op: 'insert', ...place('lyr_goal'), subtree: stack('lyr_o3', 'Option', []) },
      { ...option, subtree: { optionId: 'never', rootLayerId: 'lyr_o3' } },
    ],
  });
  await pass(network, 200);
  anna.step({ op: 'remove', node: 'lyr_goal' });
  await pass(network, 200);
  const removed = canonical(network.server.document.flow);
  await network.deliver('Ben');
  await pass(network);
  expectAgreement(network, tabs);
  expect(canonical(network.server.document.flow)).toBe(removed);
  expect(ben.problems()).toEqual(['Add an option: single choice was removed by Anna']);
});

test('10. a whole draft is pushed while Anna edits: hers are put on it, and her selection stays', async () => {
  const { network, tabs, anna } = await openBoth(cards);
  anna.click('Note');
  network.pause('Anna');
  anna.set('Title', ['text', 'default'], 'Hers');
  const pushed = JSON.parse(JSON.stringify(cards).replace('Price', 'Pushed')) as Flow;
  network.server.replace(pushed);
  await pass(network, 200);
  await network.deliver('Anna');
  await pass(network);
  tabs[1].editor.runStep({ name: '', operations: [{ op: 'set', node: 'lyr_note', path: ['note'], value: 1 }] });
  await pass(network);
  expectAgreement(network, tabs);
  expect(anna.outline()).toEqual(['Body', '  Pushed', '  Hers', '  Card', '    Name', '    Note']);
  expect(anna.selection()).toEqual(['Note']);
});
