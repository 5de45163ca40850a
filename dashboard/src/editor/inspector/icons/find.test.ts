import { expect, test } from 'vitest';
import { allIcons, findIcons } from './all';
import { lookOf, subjectOf } from './names';
import { words } from './words';

const names = [...(await allIcons()).keys()];

test('all icons that the renderers draw are there, sorted', () => {
  expect(names.length).toBeGreaterThan(1300);
  expect(names).toEqual(names.toSorted());
});

test('each icon is shown once a look, logos in every look', () => {
  const shown = (['outline', 'filled', 'sharp'] as const).map((look) => findIcons(names, look, ''));
  const logos = names.filter((name) => name.startsWith('logo-'));
  expect(shown.flat().length).toBe(names.length + 2 * logos.length);
  expect(new Set(shown.flat()).size).toBe(names.length);
  expect(shown[0]!.slice(-logos.length), 'logos come last').toEqual(logos);
  expect(new Set(shown[0]!.filter((name) => !logos.includes(name)).map(lookOf))).toEqual(new Set(['outline']));
});

test.each([
  ['heart', 'heart-outline'],
  ['HEART half', 'heart-half-outline'],
  ['heart-half', 'heart-half-outline'],
  ['workout', 'barbell-outline'],
  ['gym', 'barbell-outline'],
  ['streak', 'flame-outline'],
  ['user', 'people-outline'],
  ['close', 'close-outline'],
  ['bell', 'notifications-outline'],
  ['apple', 'logo-apple'],
  ['box', 'chatbox-outline'],
])('%s finds %s', (query, name) => {
  expect(findIcons(names, 'outline', query)).toContain(name);
});

test('what is named so comes before what means it, and what fits no word is left out', () => {
  expect(findIcons(names, 'filled', 'cafe')[0]).toBe('cafe');
  const close = findIcons(names, 'filled', 'close');
  expect(close.indexOf('close-circle')).toBeLessThan(close.indexOf('trash'));
  expect(findIcons(names, 'filled', 'heart zzz')).toEqual([]);
  expect(findIcons(names, 'filled', '  ').length).toBeGreaterThan(400);
});

test('every word means icons that there are', () => {
  for (const line of words.trim().split('\n')) {
    const [word, meant] = line.split(': ');
    for (const part of meant!.split(' '))
      expect(
        names.some((name) => name === part || name.startsWith(`${part}-`)),
        `${word}: ${part}`,
      ).toBe(true);
  }
});

test('names are read without their look', () => {
  expect(subjectOf('heart-half-outline')).toBe('heart half');
  expect(lookOf('heart-sharp')).toBe('sharp');
});
