import { expect, test } from 'vitest';
import { parseHash, playgroundHash } from './link';

test('what is shared is read back', () => {
  const shared = { query: 'query A { a(b: "ü&=+ #") }', variables: '{\n  "a": "%20"\n}' };
  expect(parseHash(`#${playgroundHash(shared)}`)).toEqual(shared);
  expect(parseHash('')).toBeUndefined();
});
