import * as v from 'valibot';
import { type Dimension, goalDimensions } from '../../conditions/dimensions';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const goalsSearch = v.object({
  /** The goal that is shown over time and by a dimension. */
  goal: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(36))), undefined)),
  split: v.optional(v.fallback(v.optional(v.picklist(Object.keys(goalDimensions) as Dimension[])), undefined)),
  ...tableSchema(['CONVERTERS', 'CONVERSIONS', 'RATE', 'REVENUE']).entries,
});

export type GoalsView = ScopeSearch & v.InferOutput<typeof goalsSearch>;
