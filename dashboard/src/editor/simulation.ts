import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { formatShort } from '../ui/format';

const simulationDocument = graphql<'DraftSimulation'>(`
  query DraftSimulation($flow: ID!, $environment: EnvironmentKind!) {
    simulateDraft(flowId: $flow, environment: $environment) {
      revision runs users version
      draft { unknown steps { id name reach users } }
      published { steps { id name reach users } }
    }
  }`);

export type Simulation = NonNullable<DataOf<'DraftSimulation'>['simulateDraft']>;

/** What recorded runs do in a draft and in the newest version. Simulated anew for every revision that is named. */
export const simulationQuery = (flow: string, environment: 'LIVE' | 'TEST', revision?: number) => ({
  ...query(simulationDocument, [flow, environment, revision], () => ({ flow, environment })),
  placeholderData: undefined,
  staleTime: 60_000,
  refetchOnWindowFocus: false,
});

/** The share of users who come to a step, before and after. Undefined where the flow does not have it. */
export type StepShares = { id: string; name: string; before: number | undefined; after: number | undefined };

/** The steps of both flows with their shares of all users. */
export function stepShares({ users, draft, published }: Simulation): StepShares[] {
  const share = (of: number) => (users > 0 ? of / users : 0);
  const before = new Map((published?.steps ?? []).map((step) => [step.id, step]));
  const after = draft.steps.map(({ id, name, users: of }) => {
    const known = before.get(id);
    before.delete(id);
    return { id, name, before: known && share(known.users), after: share(of) };
  });
  const removed = [...before.values()].map(({ id, name, users: of }) => ({
    id,
    name,
    before: share(of),
    after: undefined,
  }));
  return [...after, ...removed];
}

/** A difference below this is not worth a line. */
const least = 0.005;

/** The steps whose shares differ, those that differ most first. */
export function changedShares(simulation: Simulation): StepShares[] {
  const by = ({ before = 0, after = 0 }: StepShares) => Math.abs(after - before);
  return stepShares(simulation)
    .filter((step) => by(step) >= least)
    .toSorted((a, b) => by(b) - by(a));
}

/** What is said of a step's simulated share. */
export function simulatedWords({ before, after }: StepShares): string {
  const share = (of: number | undefined) => formatShort(of ?? 0, 'share');
  if (after === undefined) return `removed, ${share(before)} of users before`;
  if (before === undefined) return `new, ${share(after)} of users`;
  return `${share(before)} → ${share(after)} of users`;
}
