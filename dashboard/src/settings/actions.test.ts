import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actionWords } from './actions';

const repository = join(import.meta.dirname, '../../..');

const written = /\baccount\.Record(In)?\(|^func Record\(/m;

/** The texts of the form of an action in the packages that write to the audit log, whatever helper they write by. */
function textsOfWriters(): string[] {
  const packages = new Map<string, string>();
  for (const folder of readdirSync(repository)) {
    if (!statSync(join(repository, folder)).isDirectory() || /^(\.|dashboard$|sdk$|node_modules$)/.test(folder))
      continue;
    for (const { name, parentPath } of readdirSync(join(repository, folder), {
      recursive: true,
      withFileTypes: true,
    })) {
      if (!name.endsWith('.go') || name.endsWith('_test.go')) continue;
      packages.set(parentPath, (packages.get(parentPath) ?? '') + readFileSync(join(parentPath, name), 'utf8'));
    }
  }
  const writers = [...packages.values()].filter((source) => written.test(source));
  const texts = writers.flatMap((source) => [...source.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(([, text]) => text!));
  return [...new Set([...texts, ...writers.flatMap(textsOfNamed)])];
}

/** What studio/named.go puts together: goals.create( writes goal.create. */
function textsOfNamed(source: string): string[] {
  return [...source.matchAll(/(\w+) += named\{"(\w+)"/g)].flatMap(([, kind, what]) =>
    [...source.matchAll(new RegExp(`\\b${kind}\\.(create|remove)\\(`, 'g'))].map(
      ([, verb]) => `${what}.${verb === 'create' ? 'create' : 'delete'}`,
    ),
  );
}

/** Texts of that form that are no action: fields of inputs and a code of a problem. */
const others = ['media.unknown_asset', 'scope.against', 'scope.comparison', 'scope.from', 'scope.to', 'template.id'];

test('every action that the server writes to the audit log has words, and no other', () => {
  expect(textsOfWriters().sort()).toEqual([...Object.keys(actionWords), ...others].sort());
});

test('no two actions have the same words', () => {
  expect(new Set(Object.values(actionWords)).size).toBe(Object.keys(actionWords).length);
});
