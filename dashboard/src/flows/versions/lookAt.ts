import { isError } from '../../editor/problems/Mark';
import { type DraftProblem, problemsQuery } from '../../editor/problems/queries';
import { explain, type Finding, findingsOf, Refused } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { hasMovedOn } from './MovedOn';
import { type FlowDetail, type FlowPlace, publishDocument, versionsQuery } from './queries';

/** A draft as it is shown for publishing; `problem`, unless empty, says why it can't be published. */
export type Looked = { flow?: FlowDetail; problems: readonly DraftProblem[]; problem: string };

/** Reads a draft with what keeps it from being published, both of one revision. */
export async function lookAt(place: FlowPlace): Promise<Looked> {
  try {
    const { flow } = (await queryClient.fetchQuery({ ...versionsQuery(place), staleTime: 0 })).data;
    if (!flow) return { problems: [], problem: 'There is no such flow any more.' };
    // What blocks is read from the refusal itself: asked for on its own, it would be that of a later revision.
    const blocking = await send(publishDocument, { id: flow.id, revision: flow.draftRevision, label: '', dryRun: true })
      .then(() => undefined)
      .catch((error) => {
        if (error instanceof Refused && error.code === 'publish_blocked') return findingsOf(error);
        throw error;
      });
    if (blocking)
      return { flow, problems: blocking.map(asProblem), problem: 'Fix these problems to publish the draft:' };
    const found = await queryClient.fetchQuery({ ...problemsQuery(flow.id), staleTime: 0 });
    return { flow, problems: found.filter((one) => !isError(one)), problem: '' };
  } catch (error) {
    // Changed in the moment between the two: what is there now is looked at.
    if (hasMovedOn(error)) return lookAt(place);
    return { problems: [], problem: explain(error).detail };
  }
}

const asProblem = (one: Finding): DraftProblem => ({
  ...one,
  severity: one.severity === 'warning' ? 'WARNING' : 'ERROR',
  hint: one.hint ?? '',
  stepId: one.stepId ?? '',
  layerId: one.layerId ?? '',
  property: [],
  fix: null,
});
