import * as v from 'valibot';

export const modes = ['design', 'graph', 'translate', 'data'] as const;
export type Mode = (typeof modes)[number];

/** Whether screens and their layers are seen, beside which their lists and properties stand. */
export const showsScreens = (mode: Mode) => mode === 'design' || mode === 'graph';

const id = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(256))), undefined));

const oneOf = <const Values extends readonly string[]>(values: Values) =>
  v.optional(v.fallback(v.optional(v.picklist(values)), undefined));

export const editSearch = v.object({
  /** Ids of the screen and the layer that are selected. */
  screen: id,
  layer: id,
  /** How the flow is looked at; Design where it says nothing. */
  mode: oneOf(modes),
});

/** What the window of a preview begins with. */
export const previewSearch = v.object({
  screen: id,
  device: id,
  platform: oneOf(['ios', 'android', 'web']),
  locale: id,
  theme: oneOf(['light', 'dark']),
});
