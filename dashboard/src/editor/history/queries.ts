import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type DataOf, graphql } from '../../graphql/graphql';
import { send } from '../../graphql/send';
import type { Flow } from '../document/document';
import type { Operation } from '../document/operation';

const historyDocument = graphql<'DraftHistory'>(`
  query DraftHistory($flow: ID!, $after: String) {
    draftHistory(flowId: $flow, first: 30, after: $after) {
      nodes { revision edits from to person changes } pageInfo { hasNextPage endCursor }
    }
  }`);

const oldestDocument = graphql<'OldestDraft'>(`
  query OldestDraft($flow: ID!) { draft(flowId: $flow) { oldestRevision } }`);

const thenDocument = graphql<'DraftThen'>(`
  query DraftThen($flow: ID!, $revision: Int!) { draftAt(flowId: $flow, revision: $revision) { document } }`);

const wayBackDocument = graphql<'DraftWayBack'>(`
  query DraftWayBack($flow: ID!, $revision: Int!) {
    draftAt(flowId: $flow, revision: $revision) { wayBack { operations } }
  }`);

/** What one person changed in a quarter of an hour; its revision is that of the draft afterwards. */
export type Entry = DataOf<'DraftHistory'>['draftHistory']['nodes'][number];

/** Who changed what, the latest first. */
export const historyQuery = (flow: string) =>
  infiniteQueryOptions({
    queryKey: ['DraftHistory', flow],
    queryFn: async ({ pageParam, signal }) =>
      (await send(historyDocument, { flow, after: pageParam }, signal)).data.draftHistory,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchOnMount: 'always',
  });

/** The oldest revision that can be shown and restored. */
export const oldestQuery = (flow: string) =>
  queryOptions({
    queryKey: ['OldestDraft', flow],
    queryFn: async ({ signal }) => (await send(oldestDocument, { flow }, signal)).data.draft.oldestRevision,
    refetchOnMount: 'always',
  });

/** The draft as it was. */
export const thenQuery = (flow: string, revision: number) =>
  queryOptions({
    queryKey: ['DraftThen', flow, revision],
    queryFn: async ({ signal }) => (await send(thenDocument, { flow, revision }, signal)).data.draftAt.document as Flow,
    staleTime: Number.POSITIVE_INFINITY, // what was stays
  });

/** What makes the draft so again. */
export const readWayBack = async (flow: string, revision: number): Promise<Operation[]> =>
  (await send(wayBackDocument, { flow, revision })).data.draftAt.wayBack.operations as Operation[];
