import { expect, test } from 'vitest';
import { addressOf } from './addressOf';

const draft = { screens: [{ id: 'scr_1' }, { id: 'scr_2' }], decisionNodes: [{ id: 'dec_1' }] };

test.each([
  ['a layer', { stepId: 'scr_2', layerId: 'lyr_1' }, { screen: 'scr_2', layer: 'lyr_1' }],
  ['a screen', { stepId: 'scr_1', layerId: '' }, { screen: 'scr_1' }],
  ['a decision', { stepId: 'dec_1', layerId: '' }, { layer: 'dec_1', mode: 'graph' }],
  ['the flow', { stepId: '', layerId: '' }, {}],
])('a problem of %s leads to where the editor shows it', (_, problem, address) => {
  expect(addressOf(draft, problem)).toEqual(address);
});

test('a draft without screens leads to the graph', () => {
  expect(addressOf({}, { stepId: 'dec_1', layerId: '' })).toEqual({ layer: 'dec_1', mode: 'graph' });
});
