import * as v from 'valibot';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const engagementSearch = v.object({
  dimension: v.optional(v.fallback(v.optional(v.picklist(['PAGE', 'ENTRY', 'EXIT'])), undefined)),
  ...tableSchema([
    'VISITORS',
    'SESSIONS',
    'VIEWS',
    'AVERAGE_SECONDS_ON_PAGE',
    'ENTRIES',
    'EXITS',
    'EXIT_RATE',
    'BOUNCE_RATE',
    'AVERAGE_SESSION_SECONDS',
    'REVENUE',
  ]).entries,
});

export type EngagementView = ScopeSearch & v.InferOutput<typeof engagementSearch>;
