import * as v from 'valibot';

/** How many rows a table may show: more at each step. */
export const tableSteps = [50, 200, 1000] as const;

/** What an address says of a table that the server sorts by one of `metrics`. */
export const tableSchema = <const M extends readonly string[]>(metrics: M) =>
  v.object({
    by: v.optional(v.fallback(v.optional(v.picklist(metrics)), undefined)),
    order: v.optional(v.fallback(v.optional(v.literal('up')), undefined)),
    q: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
    rows: v.optional(v.fallback(v.optional(v.picklist(['200', '1000'])), undefined)),
  });

export type TableSearch<M extends string = string> = { by?: M; order?: 'up'; q?: string; rows?: '200' | '1000' };

/** The arguments of the server's table. */
export const tableArguments = <M extends string>({ by, order, q, rows }: TableSearch<M>, usual: M) => ({
  orderBy: by ?? usual,
  ascending: order === 'up',
  first: rows ? Number(rows) : tableSteps[0],
  search: q ?? null,
});

/** The search after a click on a column's head: by it, or the other way round. */
export const sortBy = <M extends string>(search: TableSearch<M>, usual: M, by: M): TableSearch<M> => ({
  by,
  order: (search.by ?? usual) === by && search.order !== 'up' ? 'up' : undefined,
});
