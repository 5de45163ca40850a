import { expect, test } from 'vitest';
import { kinds } from './add/kinds';
import { spotOf } from './add/spot';
import { canonical } from './document/canonical';
import { duplicate } from './document/commands/duplicate';
import { insert } from './document/commands/insert';
import { copyText, paste } from './document/commands/paste';
import type { Flow } from './document/document';
import { Editor } from './document/editor';
import { TestEditor } from './document/TestEditor';
import { small } from './document/TestRandom';
import { LayerView, lockedIn, toggleView } from './layerView';

function keeper(text: string | null = null) {
  const keeps = {
    text,
    read: () => keeps.text,
    write: (to: string) => {
      keeps.text = to;
    },
  };
  return keeps;
}

test('what is hidden or locked is so with all that stands in it, and is kept for the next time', () => {
  const { document } = Editor.open(small);
  const keeps = keeper();
  const view = new LayerView(keeps);
  let told = 0;
  view.subscribe(() => told++);
  view.toggle('locked', ['lyr_goal']);
  view.toggle('hidden', ['lyr_title', 'lyr_goal']);
  expect(['lyr_goal', 'lyr_o1', 'lyr_body'].map((id) => view.holds('locked', document, id))).toEqual([
    true,
    true,
    false,
  ]);
  expect(told).toBe(2);
  const again = new LayerView(keeps);
  expect(again.holds('hidden', document, 'lyr_title')).toBe(true);
  expect(again.holds('locked', document, 'lyr_title')).toBe(false);
  // Of several, all become so first.
  again.toggle('hidden', ['lyr_goal', 'lyr_body']);
  expect([...again.state.hidden]).toEqual(['lyr_title', 'lyr_goal', 'lyr_body']);
  again.toggle('hidden', ['lyr_goal', 'lyr_body', 'lyr_title']);
  expect(again.state.hidden.size).toBe(0);
});

test.each(['{', 'null', '[]', '{"hidden": 3, "locked": {"a": 1}}', '{"hidden": [1, null, {}]}'])(
  'what is kept may be anything: %s',
  (text) => {
    const view = new LayerView(keeper(text));
    expect([...view.state.hidden, ...view.state.locked]).toEqual([]);
  },
);

test('no more is kept than a thousand layers', () => {
  const keeps = keeper();
  new LayerView(keeps).toggle(
    'hidden',
    Array.from({ length: 1500 }, (_, at) => `lyr_${at}`),
  );
  expect(new LayerView(keeps).state.hidden.size).toBe(1000);
});

test('the document knows nothing of it, and undo has nothing', () => {
  const editor = Editor.open(small);
  const view = new LayerView();
  const before = canonical(editor.document.flow);
  expect(toggleView(editor, view, 'hidden')).toBe('Select layers to hide');
  editor.select({ nodes: ['lyr_title'] });
  expect(lockedIn(editor, view)).toBeUndefined();
  expect(toggleView(editor, view, 'locked')).toBe(true);
  expect(lockedIn(editor, view)).toMatch(/ is locked\. Unlock it/);
  expect(canonical(editor.document.flow)).toBe(before);
  expect(editor.canUndo).toBeUndefined();
});

test('the pointer goes through what is locked: it is neither selected nor dragged', () => {
  const text = (name: string) => ({ id: `lyr_${name}`, kind: 'text', name, text: { default: name } });
  const body = { id: 'lyr_body', kind: 'stack', direction: 'vertical', children: ['A', 'B', 'C'].map(text) };
  const page = TestEditor.open({ screens: [{ id: 'scr_1', regions: { body } }] } as never);
  page.view.toggle('locked', ['lyr_B']);
  expect(page.marquee('A', 'C').selection()).toEqual(['A', 'C']);
  const before = page.outline();
  // Selected in the tree it is not dragged on the canvas either.
  page.click('B').drag('B').below('C');
  expect(page.outline()).toEqual(before);
  page.view.toggle('locked', ['lyr_B']);
  page.click('B').drag('B').below('C');
  expect(
    page
      .outline()
      .map((one) => one.trim())
      .slice(1),
  ).toEqual(['A', 'C', 'B']);
});

test('nothing is put into what is locked: not dropped, pasted, added or duplicated; beside it is', () => {
  const text = (name: string) => ({ id: `lyr_${name}`, kind: 'text', name, text: { default: name } });
  const stack = (name: string, children: object[]) => ({
    ...{ id: `lyr_${name}`, kind: 'stack', name, direction: 'vertical', children },
  });
  const body = stack('Body', [text('A'), stack('Card', [stack('Inner', [text('B')])])]);
  const flow = { screens: [{ id: 'scr_1', regions: { body } }] } as unknown as Flow;
  const page = TestEditor.open(flow);
  page.view.toggle('locked', ['lyr_Card']);
  const locked = '“Card” is locked. Unlock it to put something in';
  page.drag('A').into('B');
  expect(page.said).toBe(`It was not moved. ${locked}.`);
  const copied = copyText(page.click('A').editor)!;
  for (const inside of ['Card', 'Inner', 'B']) {
    expect(page.click(inside).run(paste, { text: copied }).said).toBe(locked);
    expect(page.run(insert, { kind: 'text' }).said).toBe(locked);
    const button = kinds.flatMap(({ additions }) => additions).find(({ id }) => id === 'button')!;
    expect(spotOf(page.editor, button)).toBe(locked);
  }
  expect(page.run(duplicate, undefined).said).toBe(locked);
  expect(page.editor.document.flow).toEqual(flow);
  expect(page.click('Card').run(duplicate, undefined).said).toBe(true);
  page.undo();
  page.view.toggle('locked', ['lyr_Card']);
  expect(page.click('Inner').run(paste, { text: copied }).said).toBe(true);
});
