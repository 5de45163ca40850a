import * as v from 'valibot';

export const parts = ['way', 'definition', 'versions', 'people', 'dry-run'] as const;

export const rehearsedDays = ['1', '7', '30'] as const;

export const automationSearch = v.object({
  part: v.optional(v.fallback(v.optional(v.picklist(parts)), undefined)),
  /** Whose way is shown, by app user id. */
  person: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** Of how many days events are played through the draft. */
  days: v.optional(v.fallback(v.optional(v.picklist(rehearsedDays)), undefined)),
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
