import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { Document, VariablesOf } from './graphql';
import { againAfter, isSignedOut, Refused } from './problems';
import { Unreachable } from './reachable';
import { send } from './send';

/** Server data: kept figures stay on screen while newer ones are fetched. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000, // a page does not fetch again what its loader has just fetched
      // The page says that the server does not answer, and asks until it does.
      retry: (failures, error) => error instanceof Unreachable || (failures < 2 && !(error instanceof Refused)),
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 4_000),
      networkMode: 'always', // the server may be on this very machine
      refetchOnWindowFocus: true,
    },
  },
});

/** Members of a view that ask for nothing: what else is open, and where the view comes from. */
const silent = new Set(['note', 'view', 'sf']);

/** A view's key without what asks for nothing. */
function asking(key: unknown): unknown {
  if (Array.isArray(key)) return key.map(asking);
  if (typeof key !== 'object' || key === null) return key;
  return Object.fromEntries(Object.entries(key).filter(([name]) => !silent.has(name)));
}

/** Query options of a document. `variables` is a function because a range that ends now is computed when it is asked;
 * `key` names the view. */
export function query<D extends Document>(document: D, key: unknown, variables: () => VariablesOf<D['name']>) {
  return queryOptions({
    queryKey: [document.name, asking(key)],
    queryFn: ({ signal }) => send(document, variables(), signal),
    placeholderData: (before) => before,
    // What a server that has just started, or that is overrun, could not answer is asked again until it can.
    refetchInterval: ({ state: { data, error } }) =>
      againAfter(error instanceof Refused ? error.problems : (data?.problems ?? [])) ?? false,
    throwOnError: (error: Error) => isSignedOut(error), // the root turns it into a sign-in
  });
}
