import { describe, expect, test } from 'vitest';
import { canonical, find } from '../canonical';
import type { Flow } from '../document';
import { leadingTo } from '../leading';
import type { JsonObject } from '../operation';
import { TestEditor } from '../TestEditor';
import { small } from '../TestRandom';
import { addOption } from './addOption';
import { align } from './align';
import { convert, kindsToBecome } from './convert';
import { kindsToInsert } from './defaults';
import { distribute } from './distribute';
import { duplicate } from './duplicate';
import { insert } from './insert';
import { move } from './move';
import { copyText, paste, readClip } from './paste';
import { remove } from './remove';
import { renameKey, renameNode } from './rename';
import { moveDown, moveUp } from './reorder';
import { findText, replaceText } from './replaceText';
import { addScreen, duplicateScreen, makeFirst, moveScreen, removeScreen, screensOf } from './screens';
import { conditionOf, showWhen } from './showWhen';
import { unwrap, wrap } from './wrap';

const words = (id: string, text: string) => ({ id, kind: 'text', text: { default: text } });
const cards: Flow = {
  entryScreenId: 'scr_1',
  screens: [
    {
      id: 'scr_1',
      name: 'Goal',
      next: { default: null },
      regions: {
        body: {
          id: 'lyr_body',
          kind: 'stack',
          name: 'Body',
          direction: 'vertical',
          children: [
            words('lyr_price', 'Price'),
            words('lyr_title', 'Title'),
            {
              id: 'lyr_card',
              kind: 'stack',
              name: 'Card',
              children: [words('lyr_name', 'Name'), words('lyr_note', 'Note')],
            },
          ],
        },
      },
    },
  ],
};

const expression = { kind: 'predicate', variable: { kind: 'field', fieldKey: 'goal' }, predicate: { type: 'choice' } };

/** Runs a test's steps, then holds that one undo each gives back the first document. */
function undoAll(page: TestEditor, flow: Flow, times = 1) {
  for (let i = 0; i < times; i++) page.undo();
  expect(page.editor.canUndo).toBeUndefined();
  expect(canonical(page.editor.document.flow)).toBe(canonical(flow));
}

test('layers move up and down together, and say when they can not', () => {
  const page = TestEditor.open(cards);
  page.click('Title').click('Card', { shift: true }).run(moveUp, undefined);
  expect(page.outline()).toEqual(['Body', '  Title', '  Card', '    Name', '    Note', '  Price']);
  expect(page.run(moveUp, undefined).said).toBe('It is the first already');
  page.run(moveDown, undefined);
  expect(page.outline().slice(0, 3)).toEqual(['Body', '  Price', '  Title']);
  expect(page.run(moveDown, undefined).said).toBe('It is the last already');
  expect(page.click('Body').run(moveDown, undefined).said).toBe('A header, body or footer has its place');
  expect(page.click('Name').click('Price', { shift: true }).run(moveUp, undefined).said).toBe(
    'Select layers that stand in one place',
  );
  undoAll(page, cards, 2);
});

test('options move with what they stand for, and stay in their question', () => {
  const page = TestEditor.open(small);
  const shown = () => find(page.editor.object('lyr_goal'), ['optionBindings']) as JsonObject[];
  const [first, second] = shown().map((one) => one.optionId);
  page.click('lyr_o2').run(moveUp, undefined);
  expect(shown().map((one) => one.optionId)).toEqual([second, first]);
  expect(page.run(moveUp, undefined).said).toBe('It is the first already');
  page.run(move, { nodes: ['lyr_o2'], to: { parent: 'lyr_goal', slot: 'children', after: 'lyr_o1' } });
  expect(shown().map((one) => one.optionId)).toEqual([first, second]);
  expect(page.run(move, { nodes: ['lyr_o1'], to: { parent: 'lyr_body', slot: 'children' } }).said).toMatch(
    /is an option of its question$/,
  );
  expect(page.run(move, { nodes: ['lyr_title'], to: { parent: 'lyr_goal', slot: 'children' } }).said).toMatch(
    /can't stand there$/,
  );
  expect(page.run(move, { nodes: ['lyr_body'], to: { parent: 'lyr_goal', slot: 'children' } }).said).toMatch(
    /^“?.*(itself|its place)$/,
  );
  undoAll(page, small, 2);
});

describe('insert', () => {
  test.each(kindsToInsert)('%s', (kind) => {
    const page = TestEditor.open(cards).click('Title').run(insert, { kind });
    const isPart = /^(number_stepper_|email_password_field|email_password_submit|oauth_provider)/.test(kind);
    if (isPart) {
      expect(page.said).toBe('There is no place for it here');
      return;
    }
    expect(page.said).toBe(true);
    const [id] = page.editor.selection.nodes;
    expect(page.editor.object(id!)).toMatchObject({ kind });
    expect(page.editor.document.parents.get(id!)).toEqual({ parent: 'lyr_body', slot: 'children' });
    undoAll(page, cards);
  });

  test('goes into what is selected, and field keys are free ones', () => {
    const page = TestEditor.open(cards)
      .click('Card')
      .run(insert, { kind: 'text_input' })
      .run(insert, { kind: 'text_input' });
    expect(page.outline()).toEqual([
      'Body',
      '  Price',
      '  Title',
      '  Card',
      '    Name',
      '    Note',
      '    Your answer',
      '    Your answer',
    ]);
    const keys = page.editor.object('lyr_card')!.children as JsonObject[];
    expect(keys.map((child) => child.fieldKey)).toEqual([undefined, undefined, 'answer', 'answer_2']);
    page.editor.select({});
    expect(page.run(insert, { kind: 'text' }).said).toBe('Open a screen first');
  });
});

test('remove takes the option with its face, and keeps what a screen needs', () => {
  const page = TestEditor.open(small);
  page.click('lyr_o1').press('backspace', [remove]);
  expect(find(page.editor.object('lyr_goal'), ['optionBindings'])).toEqual([
    { optionId: 'weekly', rootLayerId: 'lyr_o2' },
  ]);
  expect(page.click('lyr_body').press('backspace', [remove]).said).toBe('A screen keeps its body');
  page.editor.select({ nodes: ['scr_1'] });
  expect(page.press('backspace', [remove]).said).toBe('Screens are removed in the list of screens');
  undoAll(page, small);
});

test('duplicate gives new ids and keys, and follows them inside the copy', () => {
  const page = TestEditor.open(small);
  page.click('lyr_goal').press('mod+d', [duplicate]);
  const copy = page.editor.object('lyr_new_1')!;
  expect(copy).toMatchObject({
    fieldKey: 'goal_2',
    optionBindings: [{ rootLayerId: 'lyr_new_2' }, { rootLayerId: 'lyr_new_3' }],
  });
  expect(copy).toMatchObject({
    children: [{ id: 'lyr_new_2' }, { id: 'lyr_new_3' }],
    branching: { conditions: [{ goTo: 'scr_2' }] },
  });
  page.click('lyr_o1').press('mod+d', [duplicate]);
  expect(find(page.editor.object('lyr_goal'), ['optionBindings'])).toMatchObject([
    { optionId: 'daily' },
    { optionId: 'daily_2' },
    { optionId: 'weekly' },
  ]);
  undoAll(page, small, 2);
});

test('wrap and unwrap are each other’s inverse', () => {
  const page = TestEditor.open(cards);
  page.click('Title').click('Card', { shift: true }).press('mod+g', [wrap]);
  expect(page.outline()).toEqual(['Body', '  Price', '  stack', '    Title', '    Card', '      Name', '      Note']);
  expect(page.selection()).toEqual(['stack']);
  page.press('mod+shift+g', [unwrap]);
  expect(page.outline()).toEqual(['Body', '  Price', '  Title', '  Card', '    Name', '    Note']);
  expect(page.selection()).toEqual(['Title', 'Card']);
  expect(page.click('Title').press('mod+shift+g', [unwrap]).said).toBe('Only stacks can be unwrapped');
  expect(page.click('Title').click('Note', { shift: true }).press('mod+g', [wrap]).said).toBe(
    'Select layers that stand in one place',
  );
  undoAll(page, cards, 2);
});

test('an option can not be wrapped nor unwrapped', () => {
  const page = TestEditor.open(small).click('lyr_o1').press('mod+g', [wrap]);
  expect(page.said).toBe('Wrap what is inside it instead');
  expect(page.press('mod+shift+g', [unwrap]).said).toBe('An option or branch is one stack');
});

describe('paste', () => {
  test('between flows, in order, with new ids', () => {
    const from = TestEditor.open(cards).click('Note').click('Price', { shift: true });
    const text = copyText(from.editor)!;
    const page = TestEditor.open(small).click('lyr_title').run(paste, { text });
    expect(page.outline().slice(0, 4)).toEqual(['stack', '  Your goal', '  Price', '  Note']);
    expect(page.selection()).toEqual(['Price', 'Note']);
    expect(page.editor.canUndo).toBe('Paste 2 layers');
    undoAll(page, small);
  });

  test('a screen goes behind the open one', () => {
    const text = copyText(TestEditor.open(small).editor)!;
    const page = TestEditor.open(small).run(paste, { text });
    const ids = screensOf(page.editor.document).map((screen) => screen.id);
    expect(ids).toEqual(['scr_1', page.editor.selection.screen, 'scr_2']);
    expect(page.editor.object(ids[1]!)).toMatchObject({
      next: { default: 'scr_2' },
      animations: [{ targetLayerId: 'lyr_new_3' }],
    });
    undoAll(page, small);
  });

  test.each([
    '',
    'hello',
    '1',
    '{}',
    '{"svc":"layers","nodes":[]}',
    '{"svc":"layers","nodes":[1]}',
    '{"svc":"layers","nodes":[{"kind":"text"}]}',
    '{"svc":"layers","nodes":[{"id":"a","kind":"stack","children":[{"id":"a","kind":"text"}]}]}',
  ])('what is none of ours is not: %s', (text) => {
    expect(readClip(text)).toBe('The clipboard has no layers');
    expect(TestEditor.open(cards).run(paste, { text }).said).toBe('The clipboard has no layers');
  });
});

test('a name is given and taken away', () => {
  const page = TestEditor.open(cards).run(renameNode, { node: 'lyr_title', name: ' Headline ' });
  expect(page.outline()[2]).toBe('  Headline');
  page.run(renameNode, { node: 'lyr_title', name: '' });
  expect(page.editor.object('lyr_title')).not.toHaveProperty('name');
  expect(page.run(renameNode, { node: 'scr_1', name: ' ' }).said).toBe('A screen needs a name');
  expect(page.run(renameNode, { node: 'scr_1', name: 'x'.repeat(81) }).said).toBe('A name has 80 characters at most');
  undoAll(page, cards, 2);
});

test('a key is renamed everywhere as one undo', () => {
  const page = TestEditor.open(small).run(renameKey, { key: 'field', from: 'goal', to: 'objective' });
  expect(canonical(page.editor.document.flow)).not.toContain('goal.id');
  expect(page.run(renameKey, { key: 'field', from: 'objective', to: 'Big' }).said).toBe(
    'A key has small letters, digits and _, a letter first',
  );
  expect(page.run(renameKey, { key: 'field', from: 'objective', to: 'age' }).said).toBe(
    'This name or id is already in use',
  );
  undoAll(page, small);
});

test('texts are found in all languages and replaced as they are typed', () => {
  const page = TestEditor.open(small);
  expect(findText(page.editor, { find: 'hallo' })).toEqual([
    { node: 'lyr_hello', path: ['text', 'translations', 'de'], text: 'Hallo {{goal}}', locale: 'de' },
  ]);
  expect(findText(page.editor, { find: 'hallo', matchCase: true })).toEqual([]);
  expect(findText(page.editor, { find: 'a', screen: 'scr_1' }).map((one) => one.node)).toEqual(['lyr_title']);
  page.run(replaceText, { find: 'Your goal', replace: '$& (new)' });
  expect(find(page.editor.object('lyr_title'), ['text', 'default'])).toBe('$& (new)');
  expect(page.run(replaceText, { find: '.*', replace: '' }).said).toBe('“.*” is in no text');
  undoAll(page, small);
});

test('show when: wraps, is recognized, changes, and is taken away', () => {
  const page = TestEditor.open(cards).run(showWhen, { node: 'lyr_title', expression });
  expect(page.outline()).toEqual([
    'Body',
    '  Price',
    '  conditional',
    '    stack',
    '      Title',
    '    stack',
    '  Card',
    '    Name',
    '    Note',
  ]);
  expect(conditionOf(page.editor.document, 'lyr_title')).toEqual({ conditional: 'lyr_new_1', expression });
  expect(conditionOf(page.editor.document, 'lyr_price')).toBeUndefined();
  const other = { kind: 'empty' };
  page.run(showWhen, { node: 'lyr_title', expression: other });
  expect(conditionOf(page.editor.document, 'lyr_title')?.expression).toEqual(other);
  page.run(showWhen, { node: 'lyr_title', expression: null });
  expect(page.outline()).toEqual(['Body', '  Price', '  Title', '  Card', '    Name', '    Note']);
  expect(page.run(showWhen, { node: 'lyr_title', expression: null }).said).toBe('It is always shown already');
  expect(page.run(showWhen, { node: 'lyr_body', expression }).said).toBe('A header, body or footer is a stack already');
  undoAll(page, cards, 3);
});

test('show when: options and slides can not have one', () => {
  const page = TestEditor.open(small).run(showWhen, { node: 'lyr_o1', expression });
  expect(page.said).toBe("stack can't be wrapped where it stands");
});

test('an option is a layer and its binding, in one undo', () => {
  const page = TestEditor.open(small).run(addOption, { node: 'lyr_goal' });
  expect(page.editor.object('lyr_goal')).toMatchObject({
    children: [{ id: 'lyr_o1' }, { id: 'lyr_o2' }, { id: 'lyr_new_1' }],
    optionBindings: [{}, {}, { optionId: 'weekly_2', rootLayerId: 'lyr_new_1' }],
  });
  page.run(addOption, { node: 'lyr_age' });
  expect(find(page.editor.object('lyr_age'), ['options'])).toMatchObject([{ optionId: 'a' }, { optionId: 'option_2' }]);
  expect(page.run(addOption, { node: 'lyr_title' }).said).toBe('Only choices and wheels have options');
  undoAll(page, small, 2);
});

describe('screens', () => {
  test('a new screen stands in the line of screens', () => {
    const page = TestEditor.open(small).run(addScreen, { after: 'scr_1' });
    const id = page.editor.selection.screen!;
    expect(screensOf(page.editor.document).map((screen) => screen.id)).toEqual(['scr_1', id, 'scr_2']);
    expect(page.editor.object('scr_1')).toMatchObject({ next: { default: id } });
    expect(page.editor.object(id)).toMatchObject({ name: 'Screen 3', next: { default: 'scr_2' } });
    undoAll(page, small);
    const empty: Flow = { screens: [] };
    const first = TestEditor.open(empty).run(addScreen, {});
    expect(first.editor.document.flow.entryScreenId).toBe(first.editor.selection.screen);
    undoAll(first, empty);
  });

  test('a removed screen leaves the line whole', () => {
    const page = TestEditor.open(small).run(removeScreen, { screen: 'scr_2' });
    const text = canonical(page.editor.document.flow);
    // An option can't end a flow: it goes on as the others do.
    expect(text).not.toContain('"scr_2"');
    expect(page.editor.object('lyr_goal')).toMatchObject({ branching: { enabled: false, conditions: [] } });
    expect(page.editor.object('scr_1')).toMatchObject({ next: { default: null } });
    expect(page.run(removeScreen, { screen: 'scr_1' }).said).toBe('A flow keeps one screen');
    undoAll(page, small);
    page.run(removeScreen, { screen: 'scr_1' });
    expect(page.editor.document.flow.entryScreenId).toBe('scr_2');
    expect(page.editor.selection.screen).toBe('scr_2');
    undoAll(page, small);
  });

  test('a copy leads where its screen leads; screens change places', () => {
    const page = TestEditor.open(small).run(duplicateScreen, { screen: 'scr_1' });
    expect(page.editor.object('scr_new_1')).toMatchObject({ name: 'Goal copy', next: { default: 'scr_2' } });
    page.run(moveScreen, { screen: 'scr_2', after: null });
    expect(screensOf(page.editor.document).map((screen) => screen.id)).toEqual(['scr_2', 'scr_1', 'scr_new_1']);
    undoAll(page, small, 2);
  });

  const line = (ways: Record<string, string | null>, entryScreenId = 'a'): Flow => ({
    entryScreenId,
    screens: Object.entries(ways).map(([id, next]) => ({
      id,
      name: id.toUpperCase(),
      next: { default: next },
      regions: { body: { id: `lyr_${id}`, kind: 'stack', children: [] } },
    })),
  });
  const waysOf = (page: TestEditor) =>
    screensOf(page.editor.document).map(({ id, object }) => `${id}>${find(object, ['next', 'default']) ?? ''}`);

  test.each([
    ['c', 'a', 'a>c c>b b>d d>'],
    ['b', 'c', 'a>c c>b b>d d>'],
    ['b', 'd', 'a>c c>d d>b b>'],
    ['d', 'a', 'a>d d>b b>c c>'],
    ['d', null, 'd>a a>b b>c c>'],
    ['a', 'b', 'b>a a>c c>d d>'],
    ['b', 'b', 'a>b b>c c>d d>'],
  ])('in a line, %s behind %s leads %s', (screen, after, ways) => {
    const flow = line({ a: 'b', b: 'c', c: 'd', d: null });
    const page = TestEditor.open(flow).run(moveScreen, { screen, after });
    expect(waysOf(page).join(' ')).toBe(ways);
    expect(page.editor.document.flow.entryScreenId).toBe(ways[0]);
    if (screen !== after) undoAll(page, flow);
  });

  test('a screen that is moved out of branches or round a loop keeps the ways that are there', () => {
    const branches = line({ a: 'b', b: 'd', c: 'd', d: null });
    const page = TestEditor.open(branches).run(moveScreen, { screen: 'c', after: 'a' });
    expect(waysOf(page)).toEqual(['a>b', 'c>d', 'b>d', 'd>']);
    undoAll(page, branches);
    const loop = TestEditor.open(line({ a: 'b', b: 'c', c: 'a' })).run(moveScreen, { screen: 'a', after: 'c' });
    expect(waysOf(loop)).toEqual(['b>c', 'c>a', 'a>b']);
  });

  test('the first screen stands first, wherever it was stored', () => {
    const flow = line({ a: 'c', b: 'a', c: null }, 'b');
    const page = TestEditor.open(flow).run(makeFirst, { screen: 'c' });
    expect(waysOf(page)).toEqual(['c>b', 'b>a', 'a>']);
    expect(page.editor.document.flow.entryScreenId).toBe('c');
    expect(page.editor.canUndo).toBe('Make “C” the first');
    expect(page.run(makeFirst, { screen: 'c' }).said).toBe('It is the first already');
    undoAll(page, flow);
  });

  test('what leads to a screen is named', () => {
    const { document } = TestEditor.open(small).editor;
    expect(leadingTo(document, 'scr_2')).toEqual(['a decision', 'the screen “Goal”', 'a single choice on “Goal”']);
    expect(leadingTo(document, 'scr_1')).toEqual(['the start of the flow']);
  });
});

test('layers are aligned by the stack around them', () => {
  const page = TestEditor.open(cards).click('Price').run(align, { axis: 'horizontal', to: 'center' });
  expect(page.editor.object('lyr_body')).toMatchObject({ align: 'center' });
  page.run(align, { axis: 'vertical', to: 'between' });
  expect(page.editor.object('lyr_body')).toMatchObject({ distribution: 'between' });
  expect(page.run(align, { axis: 'horizontal', to: 'around' }).said).toBe('Layers are spread along their stack only');
  page.set('Price', ['style', 'position'], 'absolute');
  expect(page.run(align, { axis: 'vertical', to: 'end' }).said).toBe(
    'Layers with a position of their own are moved by hand',
  );
  undoAll(page, cards, 3);
});

describe('convert', () => {
  test('keeps id, place, children and what both kinds have', () => {
    const page = TestEditor.open(cards).run(convert, { node: 'lyr_card', kind: 'button' });
    expect(page.editor.object('lyr_card')).toMatchObject({
      kind: 'button',
      name: 'Card',
      action: { kind: 'continue' },
    });
    expect(page.outline().slice(3)).toEqual(['  Card', '    Name', '    Note']);
    expect(page.run(convert, { node: 'lyr_title', kind: 'image' }).said).toBe("“Title” can't become that");
    expect(page.run(convert, { node: 'lyr_body', kind: 'button' }).said).toBe('Only a stack can stand there');
    undoAll(page, cards);
  });

  test('a choice keeps its options', () => {
    const page = TestEditor.open(small).run(convert, { node: 'lyr_goal', kind: 'multiple_choice' });
    const { optionBindings, fieldKey } = page.editor.object('lyr_goal')!;
    expect(fieldKey).toBe('goal');
    expect(optionBindings).toHaveLength(2);
    expect(page.editor.object('lyr_goal')).not.toHaveProperty('defaultOptionId');
    undoAll(page, small);
  });

  test('every kind in a family can become every other', () => {
    for (const kind of kindsToInsert) {
      for (const other of kindsToBecome(kind)) {
        const page = TestEditor.open(cards).click('Title').run(insert, { kind });
        const [node] = page.editor.selection.nodes;
        expect(page.run(convert, { node: node!, kind: other }).said).toBe(true);
        expect(page.editor.object(node!)).toMatchObject({ kind: other });
        undoAll(page, cards, 2);
      }
    }
  });
});

test('layers are distributed over the stack around them, as one undo', () => {
  const page = TestEditor.open(cards).click('Price').run(distribute, undefined);
  expect(page.editor.object('lyr_body')).toMatchObject({ distribution: 'between' });
  expect(page.editor.canUndo).toMatch(/^Distribute what is in /);
  expect(page.run(distribute, undefined).said).toBe('These layers are distributed already');
  page.undo();
  expect(page.editor.object('lyr_body')).not.toHaveProperty('distribution');
  page.editor.select({ nodes: [] });
  expect(page.run(distribute, undefined).said).toBe('Select layers to distribute');
});
