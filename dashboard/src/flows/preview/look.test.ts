import { afterEach, expect, test, vi } from 'vitest';
import { atOnce, mediaIn, namedQuery } from './look';

afterEach(() => vi.unstubAllGlobals());

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

test('files are asked for by the ids that a manifest names, each once', () => {
  const manifest = {
    screens: [
      { id: 'scr_a', regions: { body: { id: 'lyr_a', assetId: uuid(2), style: { fill: `url(${uuid(1)})` } } } },
    ],
    again: uuid(2),
  };
  expect(mediaIn(manifest)).toEqual([uuid(1), uuid(2)]);
  expect(mediaIn({ screens: [] })).toEqual([]);
  expect(mediaIn(undefined)).toEqual([]);
});

test('as many files are asked for at once as the server answers', async () => {
  const asked: string[][] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const { ids } = JSON.parse(body).variables as { ids: string[] };
    asked.push(ids);
    const nodes = ids.filter((id) => id !== uuid(0)).map((id) => ({ id, path: `/media/${id}` }));
    return new Response(JSON.stringify({ data: { workspace: { media: { nodes } } } }));
  });
  const ids = Array.from({ length: 2 * atOnce + 1 }, (_, n) => uuid(n));
  const query = namedQuery('w', ids);
  const paths = await (query.queryFn as (of: { signal: AbortSignal }) => Promise<Record<string, string>>)({
    signal: new AbortController().signal,
  });
  expect(asked.map(({ length }) => length)).toEqual([atOnce, atOnce, 1]);
  expect(Object.keys(paths)).toHaveLength(ids.length - 1); // one was of another workspace
  expect(paths[uuid(1)]).toBe(`/media/${uuid(1)}`);
  expect(namedQuery('w', []).enabled).toBe(false);
});
