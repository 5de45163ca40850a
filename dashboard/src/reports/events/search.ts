import * as v from 'valibot';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const eventsSearch = v.object({
  /** The event whose latest rows are open. */
  event: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  ...tableSchema(['COUNT', 'VISITORS', 'SESSIONS', 'LAST_SEEN']).entries,
});

export type EventsView = ScopeSearch & v.InferOutput<typeof eventsSearch>;
