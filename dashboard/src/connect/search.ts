import * as v from 'valibot';

export const connectSearch = v.object({
  /** What the program asks for, as the server sealed it. */
  request: v.optional(v.fallback(v.string(), ''), ''),
  /** Why the server did not take what the program asked for. */
  problem: v.optional(v.fallback(v.optional(v.picklist(['client', 'address'])), undefined)),
});
