import * as v from 'valibot';
import type { ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

/** What a chosen goal can be broken down by, in the order of the choice. */
export const goalDimensions = {
  ACQUISITION_CHANNEL: 'Channel',
  SOURCE: 'Source',
  REFERRER: 'Referrer',
  CAMPAIGN: 'Campaign',
  ENTRY: 'Entry page',
  COUNTRY: 'Country',
  DEVICE: 'Device',
  BROWSER: 'Browser',
  OS: 'OS',
} as const;

export type Dimension = keyof typeof goalDimensions;

export const goalsSearch = v.object({
  /** The goal that is shown over time and by a dimension. */
  goal: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(36))), undefined)),
  split: v.optional(v.fallback(v.optional(v.picklist(Object.keys(goalDimensions) as Dimension[])), undefined)),
  ...tableSchema(['CONVERTERS', 'CONVERSIONS', 'RATE', 'REVENUE']).entries,
});

export type GoalsView = ScopeSearch & v.InferOutput<typeof goalsSearch>;
