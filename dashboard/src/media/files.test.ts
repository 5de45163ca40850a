import { expect, test } from 'vitest';
import { formatBytes, heaviness, names, refusal, replaceAsset, typeOf } from './files';

test.each([
  ['hero.PNG', 'IMAGE'],
  ['a.b.woff2', 'FONT'],
  ['wave.json', 'LOTTIE'],
  ['clip.mov', 'VIDEO'],
  ['notes.txt', undefined],
  ['png', 'IMAGE'],
])('the type of %s', (name, want) => {
  expect(typeOf(name)).toBe(want);
});

test('what the library does not take is said before it is sent', () => {
  expect(refusal({ name: 'a.png', size: 5_242_880 })).toBeUndefined();
  expect(refusal({ name: 'a.png', size: 5_242_881 })).toBe('a.png has 5.2 MB; the library takes 5.2 MB.');
  expect(refusal({ name: 'a.exe', size: 1 })).toMatch(/^a\.exe is none of png, jpg/);
});

test('what makes people wait is said', () => {
  expect(heaviness('IMAGE', 300_000, 'image/png')).toBeUndefined();
  expect(heaviness('IMAGE', 1_900_000, 'image/png')).toBe('1.9 MB: users on a slow phone wait 10 seconds for it.');
  expect(heaviness('FONT', 90_000, 'font/ttf')).toBe('90 kB: as WOFF2 it would be about half.');
  expect(heaviness('FONT', 90_000, 'font/woff2')).toBeUndefined();
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [9_950, '9.9 kB'],
  [30_400, '30 kB'],
  [1_250_000, '1.3 MB'],
])('%d bytes', (size, want) => {
  expect(formatBytes(size)).toBe(want);
});

test('an asset is found and replaced wherever it is named', () => {
  const manifest = { screens: [{ media: { mediaAssetId: 'a' } }, { text: 'a a', list: ['a', 'b', null, 1] }] };
  expect(names(manifest, 'a')).toBe(true);
  expect(names(manifest, 'c')).toBe(false);
  expect(replaceAsset(manifest, 'a', 'z')).toEqual({
    screens: [{ media: { mediaAssetId: 'z' } }, { text: 'a a', list: ['z', 'b', null, 1] }],
  });
});
