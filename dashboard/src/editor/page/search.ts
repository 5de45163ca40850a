import * as v from 'valibot';

const id = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(256))), undefined));

export const editSearch = v.object({
  /** Ids of the screen and the layer that are selected. */
  screen: id,
  layer: id,
});
