import { expect, test } from 'vitest';
import { rangeOf } from './pointer';

const text = '{"a": [1, {"b/c": "x"}, [], "last"], "d~": null, "\\u0065": true}';

test.each([
  ['/a/0', '1'],
  ['/a/1/b~1c', '"x"'],
  ['/a/3', '"last"'],
  ['/d~0', 'null'],
  ['/e', 'true'],
  ['/a/1/missing', '{"b/c": "x"}'],
  ['/a/9', '[1, {"b/c": "x"}, [], "last"]'],
  ['', text],
])('%s is %s', (pointer, value) => {
  const { from, to } = rangeOf(text, pointer);
  expect(text.slice(from, to)).toBe(value);
});

test('a text that is no JSON has places as far as it goes', () => {
  expect(rangeOf('', '/a')).toEqual({ from: 0, to: 0 });
  const broken = '{"a": [1, ';
  expect(broken.slice(rangeOf(broken, '/a/0').from)).toMatch(/^1/);
});
