import * as v from 'valibot';

export const mediaSearch = v.object({
  type: v.optional(v.fallback(v.optional(v.picklist(['image', 'lottie', 'video', 'font'])), undefined)),
  /** The file that is open. */
  file: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined)),
});
