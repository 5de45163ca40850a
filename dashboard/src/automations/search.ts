import * as v from 'valibot';

export const parts = ['workflow', 'definition', 'versions', 'delivery', 'test-run'] as const;

export const testRunDays = ['1', '7', '30'] as const;

export const automationSearch = v.object({
  part: v.optional(v.fallback(v.optional(v.picklist(parts)), undefined)),
  /** The user whose delivery is shown, by app user id. */
  person: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** How many days of events the test run plays through the draft. */
  days: v.optional(v.fallback(v.optional(v.picklist(testRunDays)), undefined)),
});

const id = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined));

export const automationsSearch = v.object({
  /** The endpoint that is open. */
  endpoint: id,
  /** Where the page of automations begins. */
  after: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(500))), undefined)),
  /** Which of its messages are listed. */
  messages: v.optional(v.fallback(v.optional(v.picklist(['pending', 'delivered', 'failed'])), undefined)),
});

const text = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(500))), undefined));

export const suppressedSearch = v.object({
  /** The whole address that is looked for. */
  email: text,
  /** Where the page begins: the cursor of the one before. */
  after: text,
});

export type SuppressedView = v.InferOutput<typeof suppressedSearch>;
