import * as v from 'valibot';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const retentionSearch = v.object({
  dimension: v.optional(
    v.fallback(v.optional(v.picklist(['SOURCE', 'CAMPAIGN', 'COUNTRY', 'PLATFORM', 'DEVICE'])), undefined),
  ),
  cohorts: v.optional(v.fallback(v.optional(v.picklist(['week', 'month'])), undefined)),
  show: v.optional(v.fallback(v.optional(v.literal('people')), undefined)),
  ...tableSchema(['VISITORS', 'DAY1_RATE', 'DAY3_RATE', 'DAY7_RATE', 'DAY14_RATE', 'DAY30_RATE']).entries,
});

export type RetentionView = ScopeSearch & v.InferOutput<typeof retentionSearch>;
