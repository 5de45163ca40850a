import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// One way to add a page: its folder has routes.ts (its routes, which load their pages lazily), search.ts (what their
// addresses may say) and queries.ts (documents, their types, queries and mutations). Pages get params and search from
// getRouteApi, so that imports run one way: routes → pages → queries → search.
const home = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(home, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|gen)\.ts$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path: relative(home, path), text: readFileSync(path, 'utf8') }));

const gallery = 'gallery/main.tsx'; // a page of its own, with a router of its own
const features = sources.flatMap(({ path }) => (/(^|\/)routes\.ts$/.test(path) ? [dirname(path)] : []));

/** The modules of the sources that a file imports, without their ending. */
const importsOf = ({ path, text }: (typeof sources)[number]) =>
  [...text.matchAll(/^(?:import|export)\s[^;]*?from '(\.[^']+)'/gm)].map(([, to]) =>
    relative(home, resolve(home, dirname(path), to!)),
  );

test('finds the features', () => {
  expect(features.length).toBeGreaterThan(20);
  expect(features).toEqual(expect.arrayContaining(['app', 'channels', 'flows/versions', 'reports/home']));
});

test('only routes.ts defines routes', () => {
  const others = sources.filter(({ text }) => /\bcreate(Root)?Route\(/.test(text)).map(({ path }) => path);
  expect(others.filter((path) => !path.endsWith('routes.ts'))).toEqual([gallery]);
});

test('only routes and the router import routes', () => {
  const importers = sources.filter((file) => importsOf(file).some((to) => /(^|\/)routes$/.test(to)));
  expect(importers.map(({ path }) => path).filter((path) => !path.endsWith('routes.ts'))).toEqual(['app/router.ts']);
});

test('routes.ts imports its pages lazily', () => {
  const pages = new Set(sources.flatMap(({ path }) => (path.endsWith('.tsx') ? [path.replace(/\.tsx$/, '')] : [])));
  const shell = ['app/Broken', 'app/Root']; // what shows while a page loads, or fails to
  const eager = sources
    .filter(({ path }) => path.endsWith('routes.ts'))
    .flatMap((file) => importsOf(file).filter((to) => pages.has(to) && !shell.includes(to)));
  expect(eager).toEqual([]);
});

test('queries.ts alone holds the documents of a feature', () => {
  const inFeature = (path: string) => features.includes(dirname(path)) && dirname(path) !== 'app';
  const others = sources.filter(({ path, text }) => inFeature(path) && /\bgraphql<'/.test(text));
  expect(others.map(({ path }) => path).filter((path) => !path.endsWith('/queries.ts'))).toEqual([]);
});

test('search.ts alone says what addresses may say', () => {
  const routes = sources.filter(({ path }) => path.endsWith('/routes.ts') && path !== 'app/routes.ts');
  expect(routes.filter(({ text }) => /from 'valibot'/.test(text)).map(({ path }) => path)).toEqual([]);
});
