import * as v from 'valibot';
import { sessionMetrics } from '../../scope/breakdown';
import type { ScopeSearch } from '../../scope/scope';
import { type TableSearch, tableSchema } from '../../scope/table';
import type { Breakdown } from './breakdowns';

export const breakdownSearch = <D extends string>({ dimensions }: Breakdown<D>) =>
  v.object({
    dimension: v.optional(v.fallback(v.optional(v.picklist(Object.keys(dimensions) as D[])), undefined)),
    ...tableSchema(sessionMetrics).entries,
  });

/** What an address may say of such a report. */
export type BreakdownView<D extends string> = ScopeSearch &
  TableSearch<(typeof sessionMetrics)[number]> & { dimension?: D };
