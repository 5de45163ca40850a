import { expect, test } from 'vitest';
import { calculate } from './calculate';

test.each([
  ['24', 24],
  [' 1,5 ', 1.5],
  ['.25', 0.25],
  ['390/3', 130],
  ['(12 + 4) * 2', 32],
  ['2+3*4-1', 13],
  ['-8', -8],
  ['--8', 8],
  ['10-3-2', 5],
  ['100/10/5', 2],
])('%s is %d', (text, value) => expect(calculate(text)).toBe(value));

test.each(['', 'auto', '1 2', '3+', '(1', '1)', '1/0', '$', '1..2', '*3'])('“%s” is no number', (text) =>
  expect(calculate(text)).toBeUndefined(),
);
