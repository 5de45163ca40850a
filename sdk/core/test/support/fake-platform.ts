import { createMemoryStore, type FetchInit, type FetchResponse, type Platform } from '../../src/index';

/** Lets everything run that waits for promises only. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until it is moved. */
export class FakeClock {
  time: number;
  private timers: { at: number; order: number; callback: () => void }[] = [];
  private order = 0;

  constructor(start = Date.UTC(2026, 10, 21, 10)) {
    this.time = start;
  }

  setTimeout = (callback: () => void, ms: number): unknown => {
    this.order += 1;
    const timer = { at: this.time + ms, order: this.order, callback };
    this.timers.push(timer);
    return timer;
  };

  clearTimeout = (timer: unknown): void => {
    this.timers = this.timers.filter((other) => other !== timer);
  };

  get pending(): number {
    return this.timers.length;
  }

  /** Moves the clock and runs what becomes due, one timer at a time. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (;;) {
      const due = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (!due) break;
      this.clearTimeout(due);
      this.time = Math.max(this.time, due.at);
      due.callback();
      await settle();
    }
    this.time = end;
  }
}

export interface SeenRequest {
  url: string;
  init: FetchInit;
  body: unknown;
}
export type Reply =
  | { status: number; body?: unknown /** Instead of a JSON body. */; text?: string; headers?: Record<string, string> }
  | 'network-error'
  | 'hang';

export function reply(answer: Exclude<Reply, string>): FetchResponse {
  const headers = new Map(Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    status: answer.status,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
    text: async () => answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body)),
  };
}

/** A deterministic platform: fixed randomness, a fake clock, and a service that answers what the test says. */
export class FakePlatform implements Platform {
  readonly clock = new FakeClock();
  readonly requests: SeenRequest[] = [];
  readonly logged: unknown[][] = [];
  storage = createMemoryStore();
  sessionStorage = createMemoryStore();
  developmentBuild = true;
  aborted = 0;
  private seed: number;

  constructor(
    public respond: (request: SeenRequest, index: number) => Reply | Promise<Reply>,
    seed = 1,
  ) {
    this.seed = seed;
  }

  console = {
    warn: (...parts: unknown[]) => void this.logged.push(['warn', ...parts]),
    debug: (...parts: unknown[]) => void this.logged.push(['debug', ...parts]),
  };
  now = () => this.clock.time;
  setTimeout = this.clock.setTimeout;
  clearTimeout = this.clock.clearTimeout;

  /** A small linear congruential generator: the same bytes in every run of a test. */
  randomBytes = (length: number): Uint8Array =>
    Uint8Array.from({ length }, () => {
      this.seed = (Math.imul(this.seed, 1664525) + 1013904223) >>> 0;
      return this.seed >>> 24;
    });

  random = (): number => this.randomBytes(1)[0]! / 256;

  createAbort = () => {
    let reject: () => void = () => undefined;
    const signal = { onabort: (callback: () => void) => (reject = callback) };
    return {
      signal,
      abort: () => {
        this.aborted += 1;
        reject();
      },
    };
  };

  fetch = async (url: string, init: FetchInit): Promise<FetchResponse> => {
    const request = { url, init, body: init.body === undefined ? undefined : JSON.parse(init.body) };
    this.requests.push(request);
    const answer = await this.respond(request, this.requests.length - 1);
    if (answer === 'network-error') throw new TypeError('Failed to fetch');
    if (answer === 'hang') {
      return new Promise((_, reject) => {
        (init.signal as { onabort(callback: () => void): void } | undefined)?.onabort(() =>
          reject(new Error('aborted')),
        );
      });
    }
    return reply(answer);
  };

  parseUrl = (text: string) => {
    try {
      const { protocol, host, hostname, pathname, search, hash } = new URL(text);
      return { protocol, host, hostname, pathname, search, hash };
    } catch {
      return null;
    }
  };
}
