import { expect, test } from 'vitest';
import { stepsOf } from './useScrub';

test.each([
  [0, false, 0],
  [1, false, 0],
  [2, false, 1],
  [-9, false, -4],
  [9, true, 40],
])('a drag of %i pixels (Shift %s) is %i steps', (by, shift, steps) => {
  expect(stepsOf(by, shift)).toBe(steps);
});
