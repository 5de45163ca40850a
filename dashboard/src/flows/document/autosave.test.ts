import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refused } from '../../graphql/problems';
import { createAutosave, type SaveState } from './autosave';

let states: SaveState[];
let kept: { text: string; revision: number } | undefined;
const keep = (unsaved: typeof kept) => {
  kept = unsaved;
};
const report = (state: SaveState) => void states.push(state);

beforeEach(() => {
  states = [];
  kept = undefined;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test('a burst of changes is one save, and nothing is kept here once the server has it', async () => {
  const save = vi.fn(async (_: unknown, revision: number) => revision + 1);
  const { changed } = createAutosave({ saved: '1', revision: 4, save, keep, report });
  changed('12');
  changed('123');
  expect(kept).toEqual({ text: '123', revision: 4 });
  await vi.advanceTimersByTimeAsync(799);
  expect(save).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(save.mock.calls).toEqual([[123, 4]]);
  expect(states.at(-1)).toBe('saved');
  expect(kept).toBeUndefined();
});

test('what is typed during a save is saved after it, from the revision that the save made', async () => {
  let answer: (revision: number) => void = () => {};
  const save = vi.fn(() => new Promise<number>((done) => (answer = done)));
  const { changed } = createAutosave({ saved: '1', revision: 1, save, keep, report });
  changed('2');
  await vi.advanceTimersByTimeAsync(800);
  changed('3');
  await vi.advanceTimersByTimeAsync(5000);
  expect(save).toHaveBeenCalledTimes(1);
  answer(2);
  await vi.advanceTimersByTimeAsync(800);
  expect(save.mock.calls.at(-1)).toEqual([3, 2]);
});

test('what is no JSON stays here', async () => {
  const save = vi.fn();
  const { changed } = createAutosave({ saved: '1', revision: 1, save, keep, report });
  changed('{"a": ');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(save).not.toHaveBeenCalled();
  expect(states.at(-1)).toBe('unfinished');
  expect(kept).toEqual({ text: '{"a": ', revision: 1 });
});

test('a server that is away is asked again until it answers', async () => {
  const save = vi.fn().mockRejectedValueOnce(new TypeError('fetch failed')).mockResolvedValue(2);
  const { changed } = createAutosave({ saved: '1', revision: 1, save, keep, report });
  changed('2');
  await vi.advanceTimersByTimeAsync(800);
  expect(states.at(-1)).toBe('offline');
  expect(kept).toEqual({ text: '2', revision: 1 });
  await vi.advanceTimersByTimeAsync(3000);
  expect(states.at(-1)).toBe('saved');
  expect(kept).toBeUndefined();
});

test('a server that has just started, or that is overrun, is asked again until it saves', async () => {
  const starting = new Refused([{ code: 'unavailable', message: 'the store does not answer' }]);
  const save = vi.fn().mockRejectedValueOnce(starting).mockResolvedValue(2);
  const { changed } = createAutosave({ saved: '1', revision: 1, save, keep, report });
  changed('2');
  await vi.advanceTimersByTimeAsync(800);
  expect(states.at(-1)).toBe('offline');
  await vi.advanceTimersByTimeAsync(3000);
  expect(states.at(-1)).toBe('saved');
});

test('what is typed is said to be kept once a tab that is closed would lose nothing', async () => {
  const save = vi.fn().mockRejectedValue(new TypeError('fetch failed'));
  const slowly = () => new Promise<void>((done) => setTimeout(done, 2000));
  const { changed } = createAutosave({ saved: '1', revision: 1, save, keep: slowly, report });
  changed('2');
  await vi.advanceTimersByTimeAsync(1900);
  expect(states.at(-1)).toBe('saving');
  await vi.advanceTimersByTimeAsync(100);
  expect(states.at(-1)).toBe('offline');
});

test('a conflict writes over nobody until somebody decides', async () => {
  const save = vi
    .fn()
    .mockRejectedValueOnce(new Refused([{ code: 'conflict', message: '' }]))
    .mockResolvedValue(9);
  const { changed, resolve } = createAutosave({ saved: '1', revision: 1, save, keep, report });
  changed('2');
  await vi.advanceTimersByTimeAsync(800);
  changed('23');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(save).toHaveBeenCalledTimes(1);
  expect(states.at(-1)).toBe('conflict');
  expect(kept?.text).toBe('23');
  await resolve(8, undefined);
  expect(save.mock.calls.at(-1)).toEqual([23, 8]);
  expect(states.at(-1)).toBe('saved');
});
