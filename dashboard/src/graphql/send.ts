import { readerHeaders, shareToken } from '../share/link';
import type { DataOf, Document, VariablesOf } from './graphql';
import { type Finding, type Problem, Refused } from './problems';
import { noteAnswer, Unreachable } from './reachable';

/** What the server answers: a part that failed is null in `data` and has a problem at its path. */
export type Answer<Name extends Document['name']> = {
  data: DataOf<Name>;
  problems: readonly Problem[];
  /** When the answer arrived. */
  at: Date;
  /** What was asked: whoever wonders about a figure can ask it again. */
  asked: Asked;
};

/** An operation as it went to the server. */
export type Asked = { text: string; variables: Readonly<Record<string, unknown>> };

type Response = {
  data?: unknown;
  /** Of an answer that is not of GraphQL: the server is starting, or refuses every request. */
  code?: string;
  message?: string;
  errors?: { message: string; path?: (string | number)[]; extensions?: Record<string, unknown> }[];
};

/** Sends an operation. It throws Refused when the server answers nothing but problems, and Unreachable when it does not
 * answer. */
export async function send<D extends Document>(
  document: D,
  variables: VariablesOf<D['name']>,
  signal?: AbortSignal,
  { keepalive = false }: Pick<RequestInit, 'keepalive'> = {},
): Promise<Answer<D['name']>> {
  return read(
    await reach('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...readerHeaders() },
      body: JSON.stringify({ query: document.text, variables, operationName: document.name }),
      credentials: shareToken ? 'omit' : 'same-origin',
      signal,
      keepalive,
    }),
    { text: document.text, variables: variables as Asked['variables'] },
    signal,
  );
}

/** Sends an operation with the file of its variable `file` (GraphQL multipart request specification); it throws what send
 * does. */
export async function sendFile<D extends Document>(
  document: D,
  variables: Omit<VariablesOf<D['name']>, 'file'>,
  file: File,
): Promise<Answer<D['name']>> {
  const form = new FormData();
  const operation = { query: document.text, variables: { ...variables, file: null }, operationName: document.name };
  form.append('operations', JSON.stringify(operation));
  form.append('map', JSON.stringify({ 0: ['variables.file'] }));
  form.append('0', file);
  const response = await reach('/graphql', { method: 'POST', body: form, credentials: 'same-origin' });
  return read(response, { text: document.text, variables: operation.variables });
}

async function read<Name extends Document['name']>(
  response: globalThis.Response,
  asked: Asked,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  let answer: Response;
  try {
    answer = (await response.json()) as Response;
  } catch {
    signal?.throwIfAborted();
    noteAnswer(false);
    throw new Unreachable(`the server answered ${response.status} with something else than JSON`);
  }
  noteAnswer(true);
  const problems = (answer.errors ?? []).map(toProblem);
  if (answer.data == null) {
    throw new Refused(
      problems.length > 0
        ? problems
        : [{ code: answer.code ?? 'internal', message: answer.message ?? `the server answered ${response.status}` }],
    );
  }
  return { data: answer.data as DataOf<Name>, problems, at: new Date(), asked };
}

async function reach(url: string, init: RequestInit): Promise<globalThis.Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    noteAnswer(false);
    throw new Unreachable(error instanceof Error ? error.message : String(error));
  }
}

function toProblem(error: NonNullable<Response['errors']>[number]): Problem {
  const { code, field, retryAfter, requestId, problems } = error.extensions ?? {};
  return {
    code: typeof code === 'string' ? code : 'internal',
    message: error.message,
    ...(error.path && { path: error.path.join('.') }),
    ...(typeof field === 'string' && { field }),
    ...(typeof retryAfter === 'number' && { retryAfter }),
    ...(typeof requestId === 'string' && { requestId }),
    ...(Array.isArray(problems) && { findings: problems as Finding[] }),
  };
}

/** Yields the answers of a subscription as they come, until the server ends it or the signal does. */
export async function* stream<D extends Document>(
  document: D,
  variables: VariablesOf<D['name']>,
  signal: AbortSignal,
): AsyncGenerator<DataOf<D['name']>> {
  for await (const answer of listen({ query: document.text, variables, operationName: document.name }, signal)) {
    if (answer.data == null) throw new Refused((answer.errors ?? []).map(toProblem));
    yield answer.data as DataOf<D['name']>;
  }
}

/** Yields what the server says to any operation, as it says it, in server-sent events. */
export async function* listen(
  operation: { query: string; variables?: unknown; operationName?: string },
  signal: AbortSignal,
): AsyncGenerator<Response> {
  const response = await reach('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify(operation),
    credentials: 'same-origin',
    signal,
  });
  if (!response.ok || !response.body) throw new Unreachable(`the server answered ${response.status}`);
  let rest = '';
  for await (const text of chunks(response.body.pipeThrough(new TextDecoderStream()))) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n');
      if (data === '' || !event.includes('event: next')) continue; // a comment that keeps the line open, or the end
      yield JSON.parse(data) as Response;
    }
  }
}

/** How long a stream may be silent, in milliseconds: the server says something every 15 s. A connection that a sleeping
 * laptop or a network has dropped without a word is noticed so. */
const silence = 40_000;

/** Yields what comes. (Safari has no async iterator of a stream.) */
async function* chunks(readable: ReadableStream<string>): AsyncGenerator<string> {
  const reader = readable.getReader();
  let silent = false;
  try {
    while (true) {
      const timer = setTimeout(() => {
        silent = true;
        void reader.cancel().catch(() => {});
      }, silence);
      const next = await reader.read().finally(() => clearTimeout(timer));
      if (silent) throw new Unreachable('the stream is silent');
      if (next.done) return;
      yield next.value;
    }
  } finally {
    reader.releaseLock();
  }
}
