import { expect, test } from 'vitest';
import { open } from '../document/document';
import { placeOf } from './place';

const body = { id: 'lyr_body', kind: 'stack', children: [{ id: 'lyr_1', kind: 'text', text: { default: 'Hello' } }] };
const document = open({
  screens: [{ id: 'scr_1', name: 'Goal', regions: { body } }],
  decisionNodes: [{ id: 'dec_1', name: 'Is new', cases: [], elseNext: null }],
});

test.each([
  ['a layer', 'scr_1', 'lyr_1', 'design', 'scr_1', ['lyr_1']],
  ['a screen', 'scr_1', '', 'design', 'scr_1', []],
  ['a layer that was removed meanwhile', 'scr_1', 'lyr_gone', 'design', 'scr_1', []],
  ['a decision', 'dec_1', '', 'graph', null, ['dec_1']],
  ['a step that was removed meanwhile', 'scr_gone', 'lyr_gone', undefined, null, []],
  ['the flow', '', '', undefined, null, []],
])('a problem of %s leads to where it is seen', (_, stepId, layerId, mode, screen, nodes) => {
  expect(placeOf(document, { stepId, layerId })).toEqual({ mode, select: { screen, nodes } });
});
