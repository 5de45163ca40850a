import { type Query, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Document, VariablesOf } from './graphql';
import { againAfter, isSignedOut, Refused } from './problems';
import { Unreachable } from './reachable';
import { type Answer, send } from './send';

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

/** How often in a row a query was not answered, by its updates until then, and how its pauses differ from those of
 * others. */
type Streak = { updates: number; length: number; jitter: number };
const streaks = new WeakMap<object, Streak>();

/** When a query is asked again by itself, in milliseconds: undefined where it was answered. The same until the next
 * answer, however often it is asked for. */
export function pauseOf(query: Pick<Query, 'state'>): number | undefined {
  const { data, error, dataUpdateCount, errorUpdateCount } = query.state as Query<Answer<Document['name']>>['state'];
  const problems = error instanceof Refused ? error.problems : (data?.problems ?? []);
  if (againAfter(problems) === undefined) {
    if (query.state.status !== 'pending') streaks.delete(query); // one that is asked again is pending until the answer
    return undefined;
  }
  const updates = dataUpdateCount + errorUpdateCount;
  let streak = streaks.get(query);
  if (streak?.updates !== updates) {
    streak = { updates, length: (streak?.length ?? 0) + 1, jitter: streak?.jitter ?? Math.random() };
    streaks.set(query, streak);
  }
  return againAfter(problems, streak.length, streak.jitter);
}

/** Query options of a document. `variables` is a function because a range that ends now is computed when it is asked;
 * `key` names the view; `every` is how often it is asked anew while somebody looks at it, in milliseconds. */
export function query<D extends Document>(
  document: D,
  key: unknown,
  variables: () => VariablesOf<D['name']>,
  every?: number,
) {
  return queryOptions({
    queryKey: [document.name, asking(key)],
    queryFn: ({ signal }) => send(document, variables(), signal),
    placeholderData: (before) => before,
    // What a server that has just started, or that is overrun, could not answer is asked again until it can.
    refetchInterval: (query) => pauseOf(query) ?? every ?? false,
    throwOnError: (error: Error) => isSignedOut(error), // the root turns it into a sign-in
  });
}
