import type { Documents } from './schema.gen';

/** Text of an operation or a fragment that carries its types. Scalars: Time is an ISO string, Count64, USD and Figure
 * are numbers. */
export type Document<Name extends keyof Documents = keyof Documents> = {
  readonly name: Name;
  readonly text: string;
};

export type DataOf<Name extends keyof Documents> = Documents[Name]['data'];
export type VariablesOf<Name extends keyof Documents> = Documents[Name] extends { variables: infer V } ? V : never;
/** What a part shows: the fields that its fragment names. */
export type Fragment<D extends Document> = D extends Document<infer Name> ? DataOf<Name> : never;

/** One definition, with the fragments that it spreads. Its type argument repeats its name: the script that writes the
 * types finds it by that. */
export function graphql<Name extends keyof Documents>(
  source: string,
  fragments: readonly Document[] = [],
): Document<Name> {
  const name = /(?:query|mutation|subscription|fragment)\s+(\w+)/.exec(source)?.[1] as Name;
  // Two parts may spread one fragment: it is sent once.
  const texts = new Set(fragments.flatMap(({ text }) => text.split(separator)));
  return { name, text: [source.trim().replace(/\s+/g, ' '), ...texts].join(separator) };
}

const separator = '\n';
