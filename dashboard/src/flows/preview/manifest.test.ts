import { expect, test } from 'vitest';
import { localesOf, screensOf } from './manifest';

test('the entry comes first, then the order of the manifest', () => {
  const screens = [{ id: 'a' }, { id: 'b', name: 'Second' }, { id: 'c', name: '' }];
  expect(screensOf({ screens, entryScreenId: 'c' })).toEqual([
    { id: 'c', name: 'c' },
    { id: 'a', name: 'a' },
    { id: 'b', name: 'Second' },
  ]);
});

test('whatever a draft gets wrong is left out', () => {
  for (const draft of [null, 7, 'x', [], {}, { screens: 5 }, { screens: [null, 1, {}, { id: 2 }] }])
    expect(screensOf(draft)).toEqual([]);
  expect(localesOf({ locales: ['de', 4, 'en', 'de'], defaultLocale: 'en' })).toEqual(['en', 'de']);
  expect(localesOf(undefined)).toEqual([]);
});
