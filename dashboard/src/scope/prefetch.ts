import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query';
import { queryClient } from '../graphql/query';
import type { Side } from './scope';

/** Asks for a report before it is drawn, and at once for what it is compared with, where it is. */
export function prefetchSides<Data, Key extends QueryKey>(
  compared: boolean,
  of: (side: Side) => FetchQueryOptions<Data, Error, Data, Key>,
): void {
  void queryClient.prefetchQuery(of('shown'));
  if (compared) void queryClient.prefetchQuery(of('compared'));
}
