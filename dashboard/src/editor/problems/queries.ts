import { queryOptions } from '@tanstack/react-query';
import { type DataOf, graphql } from '../../graphql/graphql';
import { send } from '../../graphql/send';

const document = graphql<'DraftProblems'>(`
  query DraftProblems($flow: ID!) {
    draft(flowId: $flow) { problems { severity code message hint stepId layerId property pointer fix } }
  }`);

export type DraftProblem = DataOf<'DraftProblems'>['draft']['problems'][number] & {
  /** What it is seen in: a language, on a device. Only problems that the editor finds itself say so. */
  seen?: { mode: 'design' | 'translate'; locale: string; device?: string };
};

/** What publishing would find wrong with the draft, as the server has it. */
export const problemsQuery = (flow: string) =>
  queryOptions({
    queryKey: ['DraftProblems', flow],
    queryFn: async ({ signal }) => (await send(document, { flow }, signal)).data.draft.problems,
    staleTime: Number.POSITIVE_INFINITY,
  });
