import { expect, test } from 'vitest';
import { reachWords } from './Reach';

test('reach counts users once in seven days and on each whole day that they came', () => {
  expect(reachWords(0)).toBe('No users in the last 7 days');
  expect(reachWords(1)).toBe('1 user in the last 7 days');
  expect(reachWords(1200, [300, 300, 300, 300, 300, 300, 4])).toBe(
    'About 300 users per day, 1,200 users in the last 7 days',
  );
  expect(reachWords(5, [0, 0, 1, 0, 1, 0, 3])).toBe('5 users in the last 7 days');
});
