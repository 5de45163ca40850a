/** What the playground's address says. It stands behind the `#`, which no server and no log sees. */
export type Shared = { query: string; variables?: string };

export const playgroundHash = ({ query, variables }: Shared): string =>
  new URLSearchParams({ query, ...(variables && { variables }) }).toString();

/** Reads it back; undefined where it names no query. */
export function parseHash(hash: string): Shared | undefined {
  const found = new URLSearchParams(hash.replace(/^#/, ''));
  const query = found.get('query');
  return query ? { query, variables: found.get('variables') ?? undefined } : undefined;
}
