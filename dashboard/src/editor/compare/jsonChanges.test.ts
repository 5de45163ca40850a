import { expect, test } from 'vitest';
import { changesOf } from './jsonChanges';

test.each([
  ['nothing', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ['a value', { a: { b: 1 } }, { a: { b: 2 } }, ['changed /a/b']],
  ['one more and one less', { a: 1 }, { b: 1 }, ['added /b', 'removed /a']],
  ['a screen in front', { s: [{ id: 'x' }] }, { s: [{ id: 'n' }, { id: 'x' }] }, ['added /s/n']],
  ['within a screen', { s: [{ id: 'x', t: 'A' }] }, { s: [{ id: 'x', t: 'B' }] }, ['changed /s/x/t']],
  ['two that changed places', { s: [{ id: 'x' }, { id: 'y' }] }, { s: [{ id: 'y' }, { id: 'x' }] }, ['moved /s']],
  ['a list of values', [1, 2], [1, 3, 4], ['changed /1', 'added /2']],
  ['another kind of value', { a: [] }, { a: {} }, ['changed /a']],
  ['names that pointers escape', { 'a/b~c': 1 }, {}, ['removed /a~1b~0c']],
] as const)('%s', (_, before, after, expected) => {
  expect(changesOf(before, after).map(({ kind, path }) => `${kind} ${path}`)).toEqual(expected);
});
