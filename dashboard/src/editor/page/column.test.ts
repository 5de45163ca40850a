import { expect, test } from 'vitest';
import { readColumn, writeColumn } from './useLeft';

test('the left column is kept as it was left', () => {
  for (const column of [
    { width: 248, share: 40, folded: false },
    { width: 480, share: 15, folded: true },
  ])
    expect(readColumn(writeColumn(column))).toEqual(column);
});

test.each([
  [null, 248, 40],
  ['', 248, 40],
  ['wide tall', 248, 40],
  ['9999 -4 open', 480, 15],
  ['1 99', 200, 75],
])('what is kept may be anything: %s', (text, width, share) => {
  expect(readColumn(text)).toEqual({ width, share, folded: false });
});
