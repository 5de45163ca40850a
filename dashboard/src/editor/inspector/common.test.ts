import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../document/operation';
import { Random } from '../document/TestRandom';
import { applies, propertiesOf } from '../properties';
import { alike, differing, propertiesOfAll } from './common';

const text = { kind: 'text', style: { color: '#111111', align: 'center', padding: { t: 8, b: 8 } } };
const button = { kind: 'button', variant: 'primary', style: { padding: { t: 8, b: 12 }, opacity: 0.5 } };
const paths = (layers: JsonObject[]) => propertiesOfAll(layers).map(({ path }) => path.join('/'));

test('several layers have what each of their kinds has, but for what tells them apart', () => {
  const both = paths([text, button]);
  expect(both).toContain('style/padding');
  expect(both).toContain('style/opacity');
  expect(both).not.toContain('text');
  expect(both).not.toContain('variant');
  expect(both).not.toContain('name');
  expect(paths([text, text])).toContain('text');
  for (const path of both)
    for (const kind of ['text', 'button'])
      expect([kind, propertiesOf(kind).map((one) => one.path.join('/'))]).toEqual([
        kind,
        expect.arrayContaining([path]),
      ]);
});

test('a property that does nothing in one of them is not theirs', () => {
  const free: JsonObject = { ...text, style: { position: 'absolute' } };
  expect(paths([free, free])).toContain('style/zIndex');
  expect(paths([free, text])).not.toContain('style/zIndex');
  expect(propertiesOf('text').some((one) => one.path.join('/') === 'style/zIndex' && !applies(one, text, 'text'))).toBe(
    true,
  );
});

test('of distances the sides that differ are told, of other values that they do', () => {
  const layers = [text, button];
  expect(differing(layers, ['style', 'padding'], { is: 'spacing' })).toBe('b');
  expect(differing(layers, ['style', 'opacity'], { is: 'number', step: 1 })).toBe('.');
  expect(differing([text, text], ['style', 'padding'], { is: 'spacing' })).toBe('');
  expect(alike(layers)).toEqual({ style: { padding: { t: 8 } } });
});

/** Every path to a value that is no object, with the value. */
function leaves(value: Json, path: string[] = []): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[path.join('/'), JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, one]) => leaves(one, [...path, name]));
}

test('what objects have alike is what a list of all their values says', () => {
  const random = new Random(11);
  const object = (depth: number): JsonObject =>
    Object.fromEntries(
      ['a', 'b', 'c'].flatMap((name): [string, Json][] => {
        if (random.below(4) === 0) return [];
        return [[name, depth > 0 && random.below(2) === 0 ? object(depth - 1) : random.pick([1, 'x', [1], null])]];
      }),
    );
  for (let run = 0; run < 400; run++) {
    const objects = Array.from({ length: 1 + random.below(3) }, () => object(2));
    const all = objects.map((one) => new Map(leaves(one)));
    const expected = [...all[0]!].filter(([path, value]) => all.every((one) => one.get(path) === value));
    expect({ run, leaves: leaves(alike(objects)).sort() }).toEqual({ run, leaves: expected.sort() });
  }
});
