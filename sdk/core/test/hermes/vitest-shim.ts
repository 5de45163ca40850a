// Stands in for vitest inside the Hermes VM, where no test runner runs: the same test files, the same matchers.

declare const print: (line: string) => void;

interface Test {
  name: string;
  run: () => unknown;
}
const tests: Test[] = [];
const path: string[] = [];

function format(template: string, row: readonly unknown[]): string {
  let next = 0;
  const named = template.replace(/\$(\w+)/g, (_, key: string) => String((row[0] as Record<string, unknown>)?.[key]));
  return named.replace(/%[sdj]/g, (kind) => {
    const value = row[next];
    next += 1;
    return kind === '%j' ? String(JSON.stringify(value)) : String(value);
  });
}

function add(name: string, run: () => unknown): void {
  tests.push({ name: [...path, name].join(' > '), run });
}

type Body = (...args: never[]) => unknown;
const bodyOf = (options: unknown, body: unknown): Body => (typeof options === 'function' ? options : body) as Body;

export function it(name: string, options: unknown, body?: unknown): void {
  add(name, bodyOf(options, body) as () => unknown);
}
it.each = (rows: readonly unknown[]) => (template: string, options: unknown, body?: unknown) => {
  for (const row of rows) {
    const args = Array.isArray(row) ? row : [row];
    add(format(template, args), () => bodyOf(options, body)(...(args as never[])));
  }
};

export function describe(name: string, body: () => void): void {
  path.push(name);
  body();
  path.pop();
}
describe.each = (rows: readonly (readonly unknown[])[]) => (template: string, body: (...args: never[]) => void) => {
  for (const row of rows) describe(format(template, row), () => body(...(row as never[])));
};

function equal(a: unknown, b: unknown, partial: boolean): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Set && b instanceof Set) return equal([...a], [...b], false);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const defined = (value: Record<string, unknown>) => Object.keys(value).filter((key) => value[key] !== undefined);
  const wanted = defined(right);
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  if (!partial && defined(left).length !== wanted.length) return false;
  return wanted.every((key) => equal(left[key], right[key], partial));
}

class Expectation {
  constructor(
    private readonly value: unknown,
    private readonly negated = false,
  ) {}

  get not(): Expectation {
    return new Expectation(this.value, !this.negated);
  }

  get rejects(): Record<'toBeInstanceOf' | 'toMatchObject' | 'toThrow', (expected: unknown) => Promise<void>> {
    const caught = () =>
      (this.value as Promise<unknown>).then(
        () => this.fail('a rejection', 'fulfilment'),
        (error: unknown) => error,
      );
    return {
      toBeInstanceOf: async (type) => new Expectation(await caught()).toBeInstanceOf(type),
      toMatchObject: async (shape) => new Expectation(await caught()).toMatchObject(shape),
      toThrow: async (part) => new Expectation(((await caught()) as Error).message).toContain(part),
    };
  }

  private fail(wanted: unknown, got: unknown = this.value): never {
    throw new Error(`expected ${this.negated ? 'not ' : ''}${show(wanted)}, got ${show(got)}`);
  }
  private check(passes: boolean, wanted: unknown): void {
    if (passes === this.negated) this.fail(wanted);
  }

  toBe = (wanted: unknown) => this.check(Object.is(this.value, wanted), wanted);
  toEqual = (wanted: unknown) => this.check(equal(this.value, wanted, false), wanted);
  toMatchObject = (wanted: unknown) => this.check(equal(this.value, wanted, true), wanted);
  toBeNull = () => this.check(this.value === null, null);
  toBeUndefined = () => this.check(this.value === undefined, undefined);
  toBeDefined = () => this.check(this.value !== undefined, 'a value');
  toBeInstanceOf = (type: unknown) => this.check(this.value instanceof (type as () => void), type);
  toHaveLength = (length: number) => this.check((this.value as unknown[]).length === length, length);
  toBeLessThan = (limit: number) => this.check((this.value as number) < limit, limit);
  toBeLessThanOrEqual = (limit: number) => this.check((this.value as number) <= limit, limit);
  toBeGreaterThan = (limit: number) => this.check((this.value as number) > limit, limit);
  toBeGreaterThanOrEqual = (limit: number) => this.check((this.value as number) >= limit, limit);
  toBeCloseTo = (wanted: number, digits = 2) =>
    this.check(Math.abs((this.value as number) - wanted) < 10 ** -digits / 2, wanted);
  toMatch = (pattern: RegExp | string) => this.check(new RegExp(pattern).test(this.value as string), String(pattern));
  toContain = (part: unknown) => {
    const value = this.value as string | unknown[];
    this.check(typeof value === 'string' ? value.includes(part as string) : value.includes(part), part);
  };
  toThrow = (part?: unknown) => {
    let message: string | null = null;
    try {
      (this.value as () => unknown)();
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
      if (typeof part === 'function') return this.check(error instanceof part, part);
    }
    const fits = part instanceof RegExp ? part.test(message ?? '') : message?.includes(String(part ?? '')) === true;
    return this.check(message !== null && (part === undefined || fits), part);
  };
}

function show(value: unknown): string {
  return typeof value === 'function' ? value.name : String(JSON.stringify(value));
}

export function expect(value: unknown): Expectation {
  return new Expectation(value);
}

/** Runs everything and prints one line a failure and a last line with the counts. */
export async function runTests(): Promise<void> {
  let failed = 0;
  for (const { name, run } of tests) {
    try {
      await run();
    } catch (error) {
      failed += 1;
      print(`FAIL ${name}: ${error instanceof Error ? `${error.message}\n${error.stack}` : String(error)}`);
    }
  }
  print(`done: ${tests.length} run, ${failed} failed`);
}
