import * as v from 'valibot';

export const modes = ['design', 'graph', 'translate'] as const;
export type Mode = (typeof modes)[number];

const id = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(256))), undefined));

export const editSearch = v.object({
  /** Ids of the screen and the layer that are selected. */
  screen: id,
  layer: id,
  /** How the flow is looked at; Design where it says nothing. */
  mode: v.optional(v.fallback(v.optional(v.picklist(modes)), undefined)),
});
