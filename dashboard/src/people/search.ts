import * as v from 'valibot';
import { tableSchema } from '../scope/table';

const text = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(400))), undefined));

export const peopleSearch = v.object({
  /** Where the page begins: the cursor of the one before. */
  after: text,
  ...tableSchema(['FIRST_SEEN', 'LAST_SEEN', 'STARTS', 'COMPLETIONS', 'REVENUE']).entries,
});

export type PeopleView = v.InferOutput<typeof peopleSearch>;

export const steps = ['200', '1000'] as const;

export const personSearch = v.object({
  device: text,
  custom: text,
  rows: v.optional(v.fallback(v.optional(v.picklist(steps)), undefined)),
});
