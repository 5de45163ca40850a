import * as v from 'valibot';

const text = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64))), undefined));

export const versionsSearch = v.object({
  /** The id of a version; the draft unless it says one. */
  version: text,
  as: v.optional(v.fallback(v.optional(v.picklist(['json', 'compare'])), undefined)),
  /** The id of the version that is compared with. */
  against: text,
  locale: text,
  /** Opens the page with what publishing means. */
  publish: v.optional(v.fallback(v.optional(v.literal('draft')), undefined)),
  /** JSON pointer to go to. */
  at: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(500))), undefined)),
});
