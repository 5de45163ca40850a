import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { type Problem, Refused } from './problems';
import { pauseOf } from './query';

const away: Problem = { code: 'unavailable', message: 'the server is starting' };

/** A query that is asked by hand, and what it is answered next: an error, or data with problems. */
function asked() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  let next: Error | Problem[] = [];
  const observer = new QueryObserver<{ problems: Problem[] }>(client, {
    queryKey: ['q'],
    queryFn: async () => {
      if (next instanceof Error) throw next;
      return { problems: next };
    },
    enabled: false,
    refetchInterval: (query) => {
      pauseOf(query); // it is asked for as often as the library likes
      return false;
    },
  });
  observer.subscribe(() => {});
  return async (answer: Error | Problem[]) => {
    next = answer;
    await observer.refetch();
    return pauseOf(observer.getCurrentQuery());
  };
}

test('what is not answered is asked again later and later, a minute at most, and after an answer as at first', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(1);
  const answer = asked();
  const refused = new Refused([away]);
  const pauses = [];
  for (let i = 0; i < 5; i++) pauses.push(await answer(refused));
  expect(pauses).toEqual([7_500, 15_000, 30_000, 60_000, 60_000]);
  expect(await answer([])).toBeUndefined();
  // A part of an answer that is missing counts as well, and so does an error after it.
  expect(await answer([away])).toBe(7_500);
  expect(await answer([{ ...away, retryAfter: 90 }])).toBe(90_000);
  expect(await answer(refused)).toBe(30_000);
  expect(await answer(new Refused([{ code: 'forbidden', message: 'no' }]))).toBeUndefined();
  expect(await answer(refused)).toBe(7_500);
  random.mockRestore();
});

test('each query pauses by itself, and two of them not alike', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5);
  const [one, other] = [asked(), asked()];
  const refused = new Refused([away]);
  expect([await one(refused), await one(refused)]).toEqual([5_000, 10_000]);
  expect([await other(refused), await other(refused)]).toEqual([6_250, 12_500]);
  random.mockRestore();
});
