import { afterEach, expect, test, vi } from 'vitest';
import { listen } from './send';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A server that answers with a stream, and what it says in it. */
function answered() {
  let said!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      said = controller;
    },
  });
  vi.stubGlobal('fetch', async () => new Response(body));
  const say = (text: string) => said.enqueue(new TextEncoder().encode(text));
  return { say, end: () => said.close() };
}

const listening = () => listen({ query: '' }, new AbortController().signal);

test('events are heard whole, however they are cut, and comments are not', async () => {
  const { say, end } = answered();
  say('event: next\ndata: {"data":');
  say('{"a":1}}\n\n: ping\n\nevent: ne');
  say('xt\ndata: {"data":{"a":2}}\n\nevent: complete\n\n');
  end();
  const heard = [];
  for await (const answer of listening()) heard.push(answer.data);
  expect(heard).toEqual([{ a: 1 }, { a: 2 }]);
});

test('a stream that nothing comes from is given up, one that says it is there is not', async () => {
  vi.useFakeTimers();
  const { say } = answered();
  const next = listening().next();
  const outcome = next.then(
    () => 'said',
    (error: Error) => error.message,
  );
  for (let i = 0; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(30_000);
    say(': ping\n\n');
  }
  expect(await Promise.race([outcome, Promise.resolve('listening')])).toBe('listening');
  await vi.advanceTimersByTimeAsync(41_000);
  expect(await outcome).toBe('the stream is silent');
});
