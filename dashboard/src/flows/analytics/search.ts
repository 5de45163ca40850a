import * as v from 'valibot';
import type { CohortDimension } from '../../graphql/schema.gen';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const cohortDimensions = [
  'PLATFORM',
  'LANGUAGE',
  'COUNTRY',
  'VERSION',
  'VARIANT',
  'ACQUISITION_CHANNEL',
  'DEVICE',
] as const satisfies readonly CohortDimension[];

const flowMetrics = ['starts', 'completions', 'completionRate', 'purchases', 'revenue'] as const;

export const flowSearch = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(cohortDimensions)), undefined)),
  /** The run whose replay is open. */
  run: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** The table of cohorts: the column that it is sorted by, and the rest of what tables say. */
  sort: v.optional(v.fallback(v.optional(v.picklist(flowMetrics)), undefined)),
  ...v.omit(tableSchema(flowMetrics), ['by']).entries,
  metric: v.optional(v.fallback(v.optional(v.picklist(flowMetrics)), undefined)),
});

export type FlowView = ScopeSearch & v.InferOutput<typeof flowSearch>;
