import * as v from 'valibot';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const visitorsSearch = v.object({
  /** The person whose time line is open. */
  user: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  ...tableSchema(['LAST_SEEN', 'FIRST_SEEN', 'SESSIONS', 'VIEWS', 'EVENTS', 'REVENUE_USD', 'RUNS', 'COMPLETED_RUNS'])
    .entries,
});

export type VisitorsView = ScopeSearch & v.InferOutput<typeof visitorsSearch>;
