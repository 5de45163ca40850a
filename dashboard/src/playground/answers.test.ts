import { expect, test } from 'vitest';
import { type Answer, mostAnswers, mostCharacters, withAnswer } from './answers';

const stream = (lengths: readonly number[]) =>
  lengths.reduce<Answer[]>(
    (kept, length, i) => withAnswer(kept, { number: i + 1, after: i, text: 'x'.repeat(length) }),
    [],
  );

test('the newest answers stand first, as many as are kept', () => {
  const kept = stream(Array.from({ length: mostAnswers + 50 }, () => 10));
  expect(kept.length).toBe(mostAnswers);
  expect([kept[0]!.number, kept.at(-1)!.number]).toEqual([mostAnswers + 50, 51]);
});

test('long answers push the oldest out, and one that is too long alone is shown', () => {
  const third = Math.floor(mostCharacters / 3);
  expect(stream([third, third, third, third]).map(({ number }) => number)).toEqual([4, 3, 2]);
  expect(stream([10, mostCharacters + 1]).map(({ number }) => number)).toEqual([2]);
});
