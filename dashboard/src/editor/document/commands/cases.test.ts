import { expect, test } from 'vitest';
import { canonical } from '../canonical';
import type { Flow } from '../document';
import { nodeOf } from '../document';
import { writtenEnd } from '../exits';
import { TestEditor } from '../TestEditor';
import { addCase, branchNext, casesOf, moveCase, removeCase } from './cases';

const stack = (id: string, children: Flow[] = []) => ({ id, kind: 'stack', direction: 'vertical', children });
const expression = { kind: 'empty' };
const flow: Flow = {
  entryScreenId: 'scr_1',
  screens: [
    {
      id: 'scr_1',
      name: 'Goal',
      next: { default: null },
      regions: {
        body: stack('lyr_body', [
          {
            id: 'lyr_if',
            kind: 'conditional',
            cases: [{ id: 'one', expression, rootLayerId: 'lyr_one' }],
            elseRootLayerId: 'lyr_else',
            children: [stack('lyr_one'), stack('lyr_else')],
          } as Flow,
        ]),
      },
    },
  ],
};

const cases = (page: TestEditor, id: string) =>
  casesOf(nodeOf(page.editor.document, id)!).map(({ object }) => object.id);

function undoAll(page: TestEditor, times: number) {
  for (let i = 0; i < times; i++) page.undo();
  expect(page.editor.canUndo).toBeUndefined();
  expect(canonical(page.editor.document.flow)).toBe(canonical(flow));
}

test('cases of a condition come with what they show, and go with it', () => {
  const page = TestEditor.open(flow).run(addCase, { node: 'lyr_if', expression });
  const [, added] = cases(page, 'lyr_if') as string[];
  const item = nodeOf(page.editor.document, `lyr_if/cases/${added}`)!;
  expect(page.editor.object(String(item.object.rootLayerId))).toMatchObject({ kind: 'stack', children: [] });
  page.run(moveCase, { item: item.id, by: -1 });
  expect(cases(page, 'lyr_if')).toEqual([added, 'one']);
  expect(page.run(moveCase, { item: item.id, by: -1 }).said).toBe('It is the first already');
  page.run(removeCase, { item: 'lyr_if/cases/one' });
  expect(page.editor.object('lyr_one')).toBeUndefined();
  expect(page.run(removeCase, { item: item.id }).said).toBe('One case stays');
  undoAll(page, 3);
});

test('a case is moved past one at a time, and there are at most sixteen', () => {
  const page = TestEditor.open(flow);
  for (let i = 1; i < 16; i++) page.run(addCase, { node: 'lyr_if', expression });
  expect(page.run(addCase, { node: 'lyr_if', expression }).said).toBe('There are at most 16 cases');
  const before = cases(page, 'lyr_if');
  for (let i = 15; i > 0; i--) page.run(moveCase, { item: `lyr_if/cases/${before[15]}`, by: -1 });
  expect(cases(page, 'lyr_if')).toEqual([before[15], ...before.slice(0, 15)]);
  for (let i = 0; i < 15; i++) page.run(moveCase, { item: `lyr_if/cases/${before[15]}`, by: 1 });
  expect(cases(page, 'lyr_if')).toEqual(before);
  expect(page.run(moveCase, { item: `lyr_if/cases/${before[15]}`, by: 1 }).said).toBe('It is the last already');
  undoAll(page, 45);
});

test('a screen whose next step depends on a condition leads to a decision, both of whose ways lead on as before', () => {
  const page = TestEditor.open(flow).run(branchNext, { screen: 'scr_1', expression });
  const id = (page.editor.object('scr_1')!.next as Flow).default as string;
  expect(page.editor.object(id)).toMatchObject({
    name: 'After Goal',
    cases: [{ expression, next: writtenEnd }],
    elseNext: writtenEnd,
  });
  page.run(addCase, { node: id, expression });
  expect(nodeOf(page.editor.document, id)!.object.cases).toMatchObject([{}, { next: null }]);
  expect(page.run(branchNext, { screen: 'scr_1', expression }).said).toBe('It depends on a condition already');
  undoAll(page, 2);
});
