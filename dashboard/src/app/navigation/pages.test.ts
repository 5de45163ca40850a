import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentationOf, pages } from './pages';

test('no two pages have one key', () => {
  const keys = pages.map(({ key }) => key);
  expect(keys).toEqual([...new Set(keys)]);
});

test('every page is explained by one of the documentation', () => {
  for (const { to } of pages) {
    const name = documentationOf(to).slice('/docs/'.length).replace(/#.*/, '');
    const files = [`../docs/${name}.md`, `../docs/${name}/README.md`];
    expect(files.some(existsSync), to).toBe(true);
  }
});

test('a part of a page is explained with it', () => {
  expect(documentationOf('/apps/1/live/experiments/2')).toBe('/docs/experiments');
  expect(documentationOf('/apps/1/live/goals')).toBe('/docs/analytics#goals');
  expect(documentationOf('/apps/1/live/funnels')).toBe('/docs/analytics#funnels');
  expect(documentationOf('/apps/1/live/devices')).toBe('/docs/analytics');
  expect(documentationOf('/')).toBe('/docs/analytics');
});
