import { expect, test } from 'vitest';
import { differing } from './useDraft';

const saved = { cap: 3, from: '', arms: [{ key: 'control', weight: 1 }] };

test.each([
  ['nothing was typed', {}, {}],
  ['what was typed says the same', { cap: 3, arms: [{ key: 'control', weight: 1 }] }, {}],
  ['one of two says something else', { cap: 4, from: '' }, { cap: 4 }],
  [
    'something within was changed',
    { arms: [{ key: 'control', weight: 2 }] },
    { arms: [{ key: 'control', weight: 2 }] },
  ],
  ['it was emptied', { cap: undefined }, { cap: undefined }],
])('of fields stay those that say something else: %s', (_, typed, left) => {
  expect(differing(typed, saved)).toStrictEqual(left);
});
