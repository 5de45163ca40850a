import * as v from 'valibot';

export const channelsSearch = v.object({
  /** The channel that is open. */
  channel: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(100))), undefined)),
});
