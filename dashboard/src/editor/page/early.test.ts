import { afterEach, expect, it, vi } from 'vitest';
import { askEarly } from './early';
import { draftTransport } from './transport';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A server with a draft whose revision is how often it was read. */
function serve(refused = 0) {
  let read = 0;
  const fetch = vi.fn(async () => {
    read++;
    if (read <= refused) throw new TypeError('the network is down');
    const draft = { name: 'Welcome', canEdit: true, revision: read, document: {} };
    return new Response(JSON.stringify({ data: { draft } }), { headers: { 'Content-Type': 'application/json' } });
  });
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

const read = async (flow = 'flow') => (await draftTransport(flow, () => {}).read()).revision;

it('takes what was read early, once', async () => {
  const asked = serve();
  askEarly('flow');
  expect([await read(), await read()]).toEqual([1, 2]);
  expect(asked).toHaveBeenCalledTimes(2);
});

it('reads anew another flow, what was read long ago, and what failed', async () => {
  serve();
  askEarly('other');
  expect(await read()).toBe(2);
  vi.useFakeTimers({ toFake: ['Date'] });
  askEarly('flow');
  vi.setSystemTime(Date.now() + 11_000);
  expect(await read()).toBe(4);
  vi.useRealTimers();
  serve(1);
  askEarly('flow');
  expect(await read()).toBe(2);
});

it('reads anew after edits of an earlier visit were sent', async () => {
  serve();
  askEarly('flow');
  const transport = draftTransport('flow', () => {});
  await transport.send({ client: 'c', sequence: 1, baseRevision: 1, steps: [] }).catch(() => {});
  expect((await transport.read()).revision).toBe(3);
});
