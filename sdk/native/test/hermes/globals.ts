// What React Native gives to every script in Hermes and the engine alone lacks. Node gets the same: its own channels
// would keep the process alive, and its `Intl` knows names that the engine's command line does not.

declare const print: (line: string) => void;

interface Port {
  onmessage: ((event: { data: unknown }) => void) | null;
}

/** React continues by messages to itself. */
class MessageChannel {
  readonly port1: Port = { onmessage: null };
  readonly port2 = { postMessage: (data: unknown) => void setTimeout(() => this.port1.onmessage?.({ data }), 0) };
}

/** Writes dates by what they were asked for; the same in each engine. */
class DateTimeFormat {
  constructor(
    readonly locale: string,
    readonly options: object,
  ) {}
  format = (date: Date) => `${this.locale} ${JSON.stringify(this.options)} ${date.toISOString()}`;
  formatToParts = () => ['day', 'month', 'year'].map((type) => ({ type, value: '1' }));
  resolvedOptions = () => ({ locale: this.locale, hour12: true });
}

class Collator {
  compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
}

const { clearTimeout: clear } = globalThis;
/** A complaint of React is an error here. */
const complain = (...words: unknown[]) => print(`complaint: ${words.join(' ')}`);

Object.assign(globalThis, {
  global: globalThis,
  console: { warn: complain, error: complain, log: () => undefined, debug: () => undefined, info: () => undefined },
  MessageChannel,
  Intl: { DateTimeFormat, Collator },
  performance: { now: () => Date.now() },
  // The command line takes numbers only.
  clearTimeout: (id?: ReturnType<typeof setTimeout>) => (id === undefined ? undefined : clear(id)),
  IS_REACT_ACT_ENVIRONMENT: true,
  IS_REACT_NATIVE_TEST_ENVIRONMENT: true,
});

export {};
