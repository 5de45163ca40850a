import * as v from 'valibot';
import type { RevenueDimension } from '../../graphql/schema.gen';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const dimensions = [
  'PROVIDER',
  'STORE',
  'PRODUCT',
  'COUNTRY',
  'PERIOD_LENGTH',
  'ACQUISITION_CHANNEL',
] as const satisfies readonly RevenueDimension[];

/** The columns of the table. */
export const sorts = ['gross', 'refunds', 'net', 'customers', 'active', 'mrr', 'trials', 'conversion'] as const;

export const revenueSearch = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(dimensions)), undefined)),
  /** The table: the column that it is sorted by, and the rest of what tables say. */
  sort: v.optional(v.fallback(v.optional(v.picklist(sorts)), undefined)),
  ...v.omit(tableSchema(sorts), ['by']).entries,
  basis: v.optional(v.fallback(v.optional(v.literal('charge')), undefined)),
});

export type RevenueView = ScopeSearch & v.InferOutput<typeof revenueSearch>;
