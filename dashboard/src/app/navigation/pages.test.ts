import { expect, test } from 'vitest';
import { pages } from './pages';

test('no two pages have one key', () => {
  const keys = pages.map(({ key }) => key);
  expect(keys).toEqual([...new Set(keys)]);
});
