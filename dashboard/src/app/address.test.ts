import { expect, test } from 'vitest';
import { movedTo, parseSearch, stringifySearch } from './address';

test.each([
  ['', {}],
  ['?range=28d&grain=week', { range: '28d', grain: 'week' }],
  ['?f=is,country,DE,FR', { f: ['is,country,DE,FR'] }],
  ['?f=is,country,DE&f=contains,page,/docs', { f: ['is,country,DE', 'contains,page,/docs'] }],
])('%s is read and written as it is', (text, search) => {
  expect(parseSearch(text)).toEqual(search);
  expect(stringifySearch(search)).toBe(text);
});

test('every text survives', () => {
  for (const text of ['a b', 'a+b', '100%', 'ä/ö?', 'a&b=c#d', '"{}"', '😀', '%2C', ',;:@$']) {
    expect(parseSearch(stringifySearch({ q: text }))).toEqual({ q: text });
    expect(parseSearch(stringifySearch({ f: [text, text] }))).toEqual({ f: [text, text] });
  }
});

test('what is empty is left out', () => {
  expect(stringifySearch({ range: '', grain: undefined, f: [] })).toBe('');
});

test.each([
  ['/apps/a/live/places', '/apps/a/live/locations'],
  [
    '/apps/a/test/technology?dimension=OS&f=is,country,DE#rows',
    '/apps/a/test/devices?dimension=OS&f=is,country,DE#rows',
  ],
  ['/apps/a/live/places/', '/apps/a/live/locations'],
  ['/apps/a/live/locations', undefined],
  ['/apps/a/live/places/1', undefined],
  ['/apps/a/live/constructor', undefined],
  ['/apps/a/live/home?from=/apps/a/live/places', undefined],
])('the address %s is now %s', (href, now) => {
  expect(movedTo(href)).toBe(now);
});
