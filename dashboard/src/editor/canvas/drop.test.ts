import { expect, test } from 'vitest';
import type { Flow } from '../document/document';
import { Editor } from '../document/editor';
import type { Json, JsonObject } from '../document/operation';
import { TestEditor } from '../document/TestEditor';
import type { Box } from './board';
import { dropAt } from './drop';
import { filesAt } from './files';
import { Gestures } from './gestures/Gestures';

const text = (id: string) => ({ id, name: id, kind: 'text', text: { default: id } });
const stack = (id: string, children: readonly Json[], more: JsonObject = {}) => {
  return { id, name: id, kind: 'stack', children, ...more };
};
const flowOf = (...children: Json[]): Flow => ({
  screens: [{ id: 'scr_1', name: 'Goal', regions: { body: stack('Body', children) } }],
});
const box = (x: number, y: number, width: number, height: number): Box => ({ x, y, width, height });

/** A row of two in a card, a title above and an empty group below. */
const flow = flowOf(
  text('Title'),
  stack('Card', [text('One'), text('Two')], { direction: 'horizontal' }),
  stack('Empty', []),
);
const drawn: Record<string, Box> = {
  Body: box(0, 0, 300, 600),
  Title: box(20, 20, 260, 40),
  Card: box(20, 80, 260, 100),
  One: box(30, 100, 100, 60),
  Two: box(150, 100, 100, 60),
  Empty: box(20, 200, 260, 60),
};

function at(x: number, y: number, nodes: string[], given = flow, boxes = drawn) {
  const list = Object.entries(boxes).map(([id, one]) => ({ ...one, id }));
  const drop = dropAt(Editor.open(given), nodes, { x, y }, list);
  return typeof drop === 'object' ? { where: drop.where, line: drop.line } : { why: drop };
}

test.each([
  ['above the first', 100, 25, 'Empty', 'in Body, above Title', box(4, 20, 292, 0)],
  ['between two', 100, 190, 'Title', 'in Body, below Card', box(4, 190, 292, 0)],
  ['behind the last', 100, 500, 'Title', 'in Body, below Empty', box(4, 260, 292, 0)],
  ['beside in a row', 140, 130, 'Title', 'in Card, after One', box(140, 100, 0, 60)],
  ['first in a row', 40, 130, 'Title', 'in Card, before One', box(30, 100, 0, 60)],
  ['into what is empty', 100, 230, 'Title', 'in Empty', box(24, 204, 252, 0)],
  ['at the upper edge of a group, beside it', 140, 82, 'Empty', 'in Body, below Title', box(4, 70, 292, 0)],
])('%s', (_, x, y, node, where, line) => {
  expect(at(x, y, [node])).toEqual({ where, line });
});

test('what is dragged counts for nothing, and goes not into itself', () => {
  expect(at(60, 130, ['Card']).where).toBe('in Body, below Title');
  expect(at(60, 130, ['One']).where).toBe('in Card, before Two');
  expect(at(-5, 130, ['One'])).toEqual({ why: undefined });
});

test('nothing is dropped into what is locked, nor into what stands in it', () => {
  const list = Object.entries(drawn).map(([id, one]) => ({ ...one, id }));
  const editor = Editor.open(flow);
  const drop = (x: number, y: number, node: string) => dropAt(editor, [node], { x, y }, list);
  const locked = '“Card” is locked. Unlock it to put something in';
  editor.lockOf = (id) => (['Card', 'One', 'Two'].includes(id) ? 'Card' : undefined);
  expect(drop(140, 130, 'Title')).toBe(locked);
  expect(drop(60, 130, 'Empty')).toBe(locked);
  // At its edge it goes beside it.
  expect(drop(140, 82, 'Empty')).toMatchObject({ where: 'in Body, below Title' });
  expect(filesAt(editor, { x: 140, y: 130 }, [], list)).toMatchObject({
    spot: locked,
    marks: { refused: { why: locked } },
  });
  expect(filesAt(editor, { x: 100, y: 230 }, [], list).spot).toMatchObject({ to: { parent: 'Empty' } });
});

test('where it can not go, it says why', () => {
  const question = (id: string) => ({ id, name: id, kind: 'text_input', fieldKey: id.toLowerCase() });
  const two: Flow = {
    screens: [
      { id: 'scr_1', name: 'Goal', regions: { body: stack('Body', [question('Name'), text('Title')]) } },
      { id: 'scr_2', name: 'Plan', regions: { body: stack('Other', [stack('Around', [question('Age')])]) } },
    ],
  };
  expect(at(100, 500, ['Age'], two, { Body: drawn.Body!, Title: drawn.Title! })).toEqual({
    why: 'This screen asks Name already, and a screen asks one question',
  });
  expect(at(100, 500, ['Around'], two, { Body: drawn.Body! }).why).toMatch(/asks Name already/);
  expect(at(100, 500, ['Name'], two, { Body: drawn.Body!, Title: drawn.Title! }).where).toBe('in Body, below Title');
  expect(at(100, 500, ['Title'], two, { Other: drawn.Body! }).where).toBe('in Other, above Around');
  expect(at(100, 500, ['Other'], two, { Body: drawn.Body! }).why).toMatch(/asks Name already/);
  expect(at(100, 500, ['Body'], flow, { Body: drawn.Body! }).why).toBeUndefined();
});

test('a row that runs from the right to the left is followed', () => {
  const rtl = { ...drawn, One: box(150, 100, 100, 60), Two: box(30, 100, 100, 60) };
  expect(at(260, 130, ['Title'], flow, rtl)).toEqual({ where: 'in Card, before One', line: box(250, 100, 0, 60) });
  expect(at(140, 130, ['Title'], flow, rtl)).toEqual({ where: 'in Card, after One', line: box(140, 100, 0, 60) });
  expect(at(40, 130, ['Title'], flow, rtl)).toEqual({ where: 'in Card, after Two', line: box(30, 100, 0, 60) });
});

test('rows that wrap are read as words are', () => {
  const wrapping = flowOf(
    text('Title'),
    stack('Grid', [text('One'), text('Two'), text('Three')], { direction: 'horizontal', wrap: true }),
  );
  const boxes = {
    Body: drawn.Body!,
    Title: drawn.Title!,
    Grid: box(20, 80, 260, 200),
    One: box(30, 100, 100, 60),
    Two: box(150, 100, 100, 60),
    Three: box(30, 200, 100, 60),
  };
  expect(at(265, 130, ['Title'], wrapping, boxes)).toEqual({ where: 'in Grid, after Two', line: box(250, 100, 0, 60) });
  expect(at(40, 230, ['Title'], wrapping, boxes).where).toBe('in Grid, after Two');
  expect(at(200, 230, ['Title'], wrapping, boxes).where).toBe('in Grid, after Three');
});

test('a marquee selects what it touches: in a group, what is in that; with ⇧ besides', () => {
  const page = TestEditor.open(flowOf(text('A'), stack('Card', [text('B'), text('C')]), text('D')));
  expect(page.marquee('A', 'Card').selection()).toEqual(['A', 'Card']);
  expect(page.marquee('D', 'D', { shift: true }).selection()).toEqual(['A', 'Card', 'D']);
  expect(page.marquee('D', 'D').selection()).toEqual(['D']);
});

test('several that are selected are dragged together as one undo', () => {
  const page = TestEditor.open(flowOf(text('A'), text('B'), stack('Card', [text('C')]), text('D')));
  page.click('A').click('D', { shift: true }).drag('D').into('Card');
  expect(page.outline()).toEqual(['Body', '  B', '  Card', '    C', '    A', '    D']);
  expect(page.selection()).toEqual(['A', 'D']);
  expect(page.editor.canUndo).toBe('Move 2 layers');
  page.undo();
  expect(page.outline()).toEqual(['Body', '  A', '  B', '  Card', '    C', '  D']);
});

test('a press that is no drag selects one of several; Escape ends a drag without a change', () => {
  const page = TestEditor.open(flow);
  const list = Object.entries(drawn).map(([id, one]) => ({ ...one, id }));
  const path = (id: string) => (id === 'Body' ? [id] : ['Body', id]);
  const stage = {
    editor: page.editor,
    canEdit: true,
    zoom: 1,
    breakpoint: undefined,
    handled: () => undefined,
    locked: () => false,
    under: ({ y }: { y: number }) => ({ screen: 'scr_1', path: path(y < 70 ? 'Title' : y < 190 ? 'Card' : 'Empty') }),
    boxes: () => list,
    pan: () => {},
    say: () => {},
  };
  const gestures = new Gestures(() => stage);
  const pointer = (y: number) => ({ point: { x: 100, y }, shift: false, mod: false, alt: false, pans: false });
  page.click('Title').click('Card', { shift: true });
  gestures.down(pointer(30));
  expect(page.selection()).toEqual(['Title', 'Card']);
  gestures.up(pointer(31));
  expect(page.selection()).toEqual(['Title']);
  gestures.down(pointer(30));
  gestures.move(pointer(190));
  expect(gestures.marks.drop?.where).toBe('in Body, below Card');
  gestures.cancel();
  gestures.up(pointer(190));
  expect(page.editor.canUndo).toBeUndefined();
  stage.canEdit = false;
  gestures.down(pointer(30));
  gestures.move(pointer(190));
  expect(gestures.marks.drop).toBeUndefined();
});
