import * as v from 'valibot';
import { type Dimension, goalDimensions } from '../../conditions/dimensions';
import type { ScopeSearch } from '../../scope/scope';

export const funnelsSearch = v.object({
  /** The funnel that is shown; left out, the first by name. */
  funnel: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(36))), undefined)),
  split: v.optional(v.fallback(v.optional(v.picklist(Object.keys(goalDimensions) as Dimension[])), undefined)),
});

export type FunnelsView = ScopeSearch & v.InferOutput<typeof funnelsSearch>;
