import * as v from 'valibot';
import { playgroundHistory } from '../app/session/storage';

const pastSchema = v.array(v.object({ query: v.string(), variables: v.string(), at: v.string() }));

/** Something that was run in this browser. */
export type Past = v.InferOutput<typeof pastSchema>[number];

const most = 30;

export function readPast(): Past[] {
  try {
    return v.parse(pastSchema, JSON.parse(playgroundHistory.read() ?? '[]'));
  } catch {
    return []; // written by another version, or by hand
  }
}

/** Puts a run in front; the same again takes the place of the earlier one. */
export function remember(run: Past): Past[] {
  const others = readPast().filter(({ query, variables }) => query !== run.query || variables !== run.variables);
  const kept = [run, ...others].slice(0, most);
  playgroundHistory.write(JSON.stringify(kept));
  return kept;
}

/** The name of the operation, else its first field. */
export const nameOf = ({ query }: { query: string }): string =>
  /(?:query|mutation|subscription)\s+(\w+)/.exec(query)?.[1] ?? /\{\s*(\w+)/.exec(query)?.[1] ?? 'Query';
