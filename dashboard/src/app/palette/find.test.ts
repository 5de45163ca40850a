import { expect, test } from 'vitest';
import { find } from './find';

const acts = ['Home', 'Acquisition', 'Last 7 days', 'Last month', 'Month to date'].map((name) => ({
  id: name,
  name,
  group: 'x',
  run: () => {},
}));
const names = (words: string) => find(acts, words).map(({ name }) => name);

test('what begins with the words comes first', () => {
  expect(names('month')).toEqual(['Month to date', 'Last month']);
});

test('letters in order are enough', () => {
  expect(names('acqn')).toEqual(['Acquisition']);
  expect(names('zz')).toEqual([]);
  expect(names('')).toHaveLength(5);
});
