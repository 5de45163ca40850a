import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const sources = fileURLToPath(new URL('../..', import.meta.url));
const styles = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(css|tsx?)$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(sources + path, 'utf8'));

// A browser draws a property with an unknown variable as if it were not there, and says nothing.
test('every variable of a style is defined', () => {
  const all = (pattern: RegExp) =>
    new Set(styles.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name)));
  const used = all(/var\((--[\w-]+)[),]/g);
  const defined = all(/(--[\w-]+)['"]?\]?\s*:/g);
  expect(used.size).toBeGreaterThan(30);
  expect([...used].filter((name) => !name!.startsWith('--mantine-') && !defined.has(name))).toEqual([]);
});
