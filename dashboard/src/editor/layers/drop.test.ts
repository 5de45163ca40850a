import { expect, test } from 'vitest';
import { move } from '../document/commands/move';
import type { Flow } from '../document/document';
import type { Json } from '../document/operation';
import { TestEditor } from '../document/TestEditor';
import { dropOnRow } from './drop';
import { rowsOf } from './rows';

const text = (id: string) => ({ id, name: id, kind: 'text', text: { default: id } });
const stack = (id: string, children: readonly Json[]) => ({ id, name: id, kind: 'stack', children });
const flow: Flow = {
  screens: [
    {
      id: 'scr_1',
      regions: { body: stack('Body', [text('A'), stack('Card', [text('B'), stack('Inner', [text('C')])]), text('D')]) },
    },
  ],
};

/** Drags to a row: how much of it is above the pointer, and how many levels in that is. */
function dropped(dragged: string[], row: string, share: number, level = 9) {
  const page = TestEditor.open(flow);
  const rows = rowsOf(page.editor.document, 'scr_1', new Set());
  const index = rows.findIndex(({ id }) => id === row);
  const found = dropOnRow(page.editor, dragged, rows, index, share, level);
  const drop = typeof found === 'object' ? found : undefined;
  if (drop) page.run(move, { nodes: dragged, to: drop.to });
  return {
    ...drop,
    order: page
      .outline()
      .map((line) => line.trim())
      .join(' '),
    page,
  };
}

test.each([
  ['above a row', ['D'], 'A', 0.1, 9, 'in Body, above A', 'Body D A Card B Inner C'],
  ['below a row', ['D'], 'A', 0.9, 9, 'in Body, below A', 'Body A D Card B Inner C'],
  ['below a row, from its lower half', ['D'], 'A', 0.6, 9, 'in Body, below A', 'Body A D Card B Inner C'],
  ['into a group', ['A'], 'Card', 0.5, 9, 'in Card, below Inner', 'Body Card B Inner C A D'],
  ['below a group that is open: first in it', ['A'], 'Card', 0.9, 9, 'in Card, above B', 'Body Card A B Inner C D'],
  ['at the end of a group', ['A'], 'C', 0.9, 9, 'in Inner, below C', 'Body Card B Inner C A D'],
  ['one level out', ['A'], 'C', 0.9, 3, 'in Card, below Inner', 'Body Card B Inner C A D'],
  ['two levels out', ['A'], 'C', 0.9, 2, 'in Body, below Card', 'Body Card B Inner C A D'],
  ['of two at once', ['A', 'B'], 'D', 0.9, 9, 'in Body, below D', 'Body Card Inner C D A B'],
])('%s', (_, dragged, row, share, level, where, order) => {
  const drop = dropped(dragged, row, share, level);
  expect([drop.where, drop.order]).toEqual([where, order]);
  expect(drop.page.editor.canUndo).toMatch(/^Move /);
});

test('nothing goes into itself, beside a region, or into what holds nothing', () => {
  expect(dropped(['Card'], 'C', 0.5).to).toBeUndefined();
  expect(dropped(['A'], 'Body', 0.1).to).toBeUndefined();
  expect(dropped(['Body'], 'D', 0.5).to).toBeUndefined();
  const { editor } = dropped(['A'], 'D', 0.5).page;
  const rows = rowsOf(editor.document, 'scr_1', new Set());
  expect(dropOnRow(editor, [], rows, 1, 0.5, 9, () => 'No')).toBe('No');
  expect(dropped(['A'], 'D', 0.5).where).toBe('in Body, below D');
});
