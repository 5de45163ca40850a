import { expect, test } from 'vitest';
import { type Flow, open } from '../document/document';
import type { JsonObject } from '../document/operation';
import { branchesOf, SameBranches } from './branches';

const stack = (id: string, children: JsonObject[] = []) => ({ id, kind: 'stack', direction: 'vertical', children });
const text = (id: string) => ({ id, kind: 'text', text: { default: id } });
const conditional = (id: string, shown: JsonObject[], otherwise: JsonObject[]) => ({
  id,
  kind: 'conditional',
  cases: [
    { id: 'one', expression: { kind: 'empty' }, rootLayerId: `${id}_one` },
    { id: 'two', expression: { kind: 'empty' }, rootLayerId: `${id}_two` },
  ],
  elseRootLayerId: `${id}_else`,
  children: [stack(`${id}_one`, shown), stack(`${id}_two`, [text(`${id}_second`)]), stack(`${id}_else`, otherwise)],
});
const inner = conditional('lyr_in', [text('lyr_deep')], [text('lyr_other')]);
const screen = (id: string, children: JsonObject[]) => ({
  id,
  name: id,
  regions: { body: stack(`lyr_${id}`, children) },
});
const document = open({
  screens: [
    screen('scr_1', [conditional('lyr_out', [inner, text('lyr_a')], [])]),
    screen('scr_2', [text('lyr_plain')]),
  ],
} as unknown as Flow);
const [first, second] = document.flow.screens as JsonObject[];

test('a condition that shows nothing otherwise is drawn with its first case, others as they are', () => {
  expect(branchesOf(document, first!, [])).toEqual({ lyr_out: 'lyr_out_one' });
  expect(branchesOf(document, second!, ['lyr_a', 'lyr_plain'])).toEqual({});
});

test('what is selected is drawn, whichever branch it stands in', () => {
  expect(branchesOf(document, first!, ['lyr_deep'])).toEqual({ lyr_out: 'lyr_out_one', lyr_in: 'lyr_in_one' });
  expect(branchesOf(document, first!, ['lyr_other'])).toEqual({ lyr_out: 'lyr_out_one', lyr_in: 'lyr_in_else' });
  expect(branchesOf(document, first!, ['lyr_out_second'])).toEqual({ lyr_out: 'lyr_out_two' });
  expect(branchesOf(document, first!, ['lyr_out_else'])).toEqual({ lyr_out: 'lyr_out_else' });
  expect(branchesOf(document, first!, ['lyr_gone', 'scr_2'])).toEqual({ lyr_out: 'lyr_out_one' });
});

test('the same branches keep their identity, so that the screen is not drawn anew', () => {
  const same = new SameBranches();
  const once = same.keep('scr_1', branchesOf(document, first!, ['lyr_deep']));
  expect(same.keep('scr_1', branchesOf(document, first!, ['lyr_deep']))).toBe(once);
  expect(same.keep('scr_1', branchesOf(document, first!, ['lyr_other']))).not.toBe(once);
  expect(same.keep('scr_2', branchesOf(document, second!, []))).toEqual({});
});
