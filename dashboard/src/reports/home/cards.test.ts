import { expect, test } from 'vitest';
import type { HomeCard } from '../../graphql/schema.gen';
import { cardNames, moved, offer, shownOf, wideOf } from './cards';

const all = Object.keys(cardNames) as HomeCard[];

test('offers each card once: those of the page first, in its order', () => {
  const offered = offer(['REVENUE', 'TREND']);
  expect(offered.slice(0, 3)).toEqual([
    { card: 'REVENUE', shown: true },
    { card: 'TREND', shown: true },
    { card: 'SOURCES', shown: false },
  ]);
  expect(offered.map(({ card }) => card).sort()).toEqual([...all].sort());
  expect(shownOf(offered)).toEqual(['REVENUE', 'TREND']);
});

test.each([
  [0, 2, 'bca'],
  [2, 0, 'cab'],
  [1, 1, 'abc'],
  [0, 9, 'bca'],
  [2, -4, 'cab'],
])('moves the entry at %i to %i', (from, to, expected) => {
  expect(moved([...'abc'], from, to).join('')).toBe(expected);
});

test.each<[HomeCard[], HomeCard[]]>([
  [
    ['TREND', 'SOURCES', 'PAGES', 'LOCATIONS', 'DEVICES', 'EVENTS'],
    ['TREND', 'EVENTS'],
  ],
  [
    ['SOURCES', 'TREND', 'PAGES', 'LOCATIONS'],
    ['SOURCES', 'TREND'],
  ],
  [['SOURCES', 'PAGES', 'TREND'], ['TREND']],
  [['SOURCES'], ['SOURCES']],
])('of %j, %j fill their rows', (cards, expected) => {
  expect(wideOf(cards)).toEqual(expected);
});
