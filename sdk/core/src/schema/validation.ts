/** One thing that is wrong with a value. */
export interface ValidationProblem {
  /** Where: names joined by dots, as `correlation.flowId`; empty for the value itself. */
  field: string;
  message: string;
}

/** The typed value, or everything that is wrong with it. */
export type Validation<T> = { valid: true; value: T } | { valid: false; problems: ValidationProblem[] };

/** Adds what is wrong with a value to the problems. */
export type Check = (value: unknown, field: string, problems: ValidationProblem[]) => void;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const inside = (field: string, name: string): string => (field === '' ? name : `${field}.${name}`);

/** A check of one predicate; the message says what the value must be. */
export function must(passes: (value: unknown) => boolean, message: string): Check {
  return (value, field, problems) => {
    if (!passes(value)) problems.push({ field, message });
  };
}

export const text: Check = /* @__PURE__ */ must((value) => typeof value === 'string', 'must be a string');
export const filledText: Check = /* @__PURE__ */ must(
  (value) => typeof value === 'string' && value !== '',
  'must be a string that is not empty',
);
export const flag: Check = /* @__PURE__ */ must((value) => typeof value === 'boolean', 'must be true or false');
export const scalar: Check = /* @__PURE__ */ must(
  (value) => ['string', 'boolean'].includes(typeof value) || Number.isFinite(value),
  'must be a string, a number or a boolean',
);

/** Whole numbers from a smallest one on. */
export function wholeFrom(least: number): Check {
  return must(
    (value) => Number.isInteger(value) && (value as number) >= least,
    `must be a whole number from ${least} on`,
  );
}

export function oneOf(...allowed: readonly unknown[]): Check {
  return must(
    (value) => allowed.includes(value),
    `must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`,
  );
}

export function orNull(check: Check): Check {
  return (value, field, problems) => {
    if (value !== null) check(value, field, problems);
  };
}

export function optional(check: Check): Check {
  return (value, field, problems) => {
    if (value !== undefined) check(value, field, problems);
  };
}

export function listOf(check: Check): Check {
  return (value, field, problems) => {
    if (!Array.isArray(value)) problems.push({ field, message: 'must be a list' });
    else
      value.forEach((entry, at) => {
        check(entry, inside(field, String(at)), problems);
      });
  };
}

export function mapOf(check: Check): Check {
  return (value, field, problems) => {
    if (!isRecord(value)) problems.push({ field, message: 'must be an object' });
    else for (const [name, entry] of Object.entries(value)) check(entry, inside(field, name), problems);
  };
}

/** Objects with these members. Others may stand beside them: a newer service may say more. */
export function record(members: Readonly<Record<string, Check>>): Check {
  return (value, field, problems) => {
    if (!isRecord(value)) problems.push({ field, message: 'must be an object' });
    else for (const [name, check] of Object.entries(members)) check(value[name], inside(field, name), problems);
  };
}

export function validate<T>(check: Check, value: unknown): Validation<T> {
  const problems: ValidationProblem[] = [];
  check(value, '', problems);
  return problems.length === 0 ? { valid: true, value: value as T } : { valid: false, problems };
}
