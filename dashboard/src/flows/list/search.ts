import * as v from 'valibot';
import type { ScopeSearch } from '../../scope/scope';

export const flowsSearch = v.object({
  archived: v.optional(v.fallback(v.optional(v.literal('yes')), undefined)),
  /** How flows are shown; pictures unless it says otherwise. */
  as: v.optional(v.fallback(v.optional(v.literal('table')), undefined)),
});

export type FlowsView = ScopeSearch & v.InferOutput<typeof flowsSearch>;

export const startSearch = v.object({
  /** Where its content comes from; a template unless it says otherwise. */
  content: v.optional(v.fallback(v.optional(v.literal('import')), undefined)),
});
