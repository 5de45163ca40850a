import * as v from 'valibot';
import type { Side } from './scope';

/** How many rows a table may show: more at each step, up to what the server gives at once. */
export const tableSteps = [50, 200, 1000, 10_000] as const;

/** What an address says of a table that the server sorts by one of `metrics`. */
export const tableSchema = <const M extends readonly string[]>(metrics: M) =>
  v.object({
    by: v.optional(v.fallback(v.optional(v.picklist(metrics)), undefined)),
    order: v.optional(v.fallback(v.optional(v.literal('up')), undefined)),
    q: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
    rows: v.optional(v.fallback(v.optional(v.picklist(['200', '1000', '10000'])), undefined)),
    /** Ids of the columns that are not shown, by commas. */
    hide: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(400))), undefined)),
  });

export type TableSearch<M extends string = string> = {
  by?: M;
  order?: 'up';
  q?: string;
  rows?: '200' | '1000' | '10000';
  hide?: string;
};

/** The arguments of the server's table. What it is compared with has an order of its own: more rows are asked for, so
 * that those which are shown are among them. */
export const tableArguments = <M extends string>({ by, order, q, rows }: TableSearch<M>, usual: M, side?: Side) => {
  const first = rows ? Number(rows) : tableSteps[0];
  return {
    orderBy: by ?? usual,
    ascending: order === 'up',
    first: side === 'compared' ? Math.max(first, comparedRows) : first,
    search: q ?? null,
  };
};

const comparedRows = 1000;

/** The search after a click on a column's head: by it, or the other way round. */
export const sortBy = <M extends string>(search: TableSearch<M>, usual: M | undefined, by: M): TableSearch<M> => ({
  by,
  order: (search.by ?? usual) === by && search.order !== 'up' ? 'up' : undefined,
});

/** Ids of the columns that an address hides. */
export const hiddenOf = ({ hide }: TableSearch): string[] => hide?.split(',') ?? [];

/** The address's list after a column was shown or hidden. */
export const withHidden = (search: TableSearch, id: string, hidden: boolean): string | undefined =>
  [...hiddenOf(search).filter((other) => other !== id), ...(hidden ? [id] : [])].join(',') || undefined;
