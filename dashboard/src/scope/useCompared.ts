import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { isCompared, type ScopeSearch } from './scope';

/** The answer for what a report is compared with: asked beside it, so that the report itself does not wait. */
export function useCompared<Data, Key extends QueryKey>(
  options: UseQueryOptions<Data, Error, Data, Key>,
  search: ScopeSearch,
): Data | undefined {
  const enabled = isCompared(search);
  const answer = useQuery({ ...options, enabled });
  return enabled ? answer.data : undefined;
}
