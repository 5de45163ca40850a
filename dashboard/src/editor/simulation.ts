import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { formatShort } from '../ui/format';

const simulationDocument = graphql<'DraftSimulation'>(`
  query DraftSimulation($flow: ID!, $environment: EnvironmentKind!) {
    simulateDraft(flowId: $flow, environment: $environment) {
      revision runs users version
      draft {
        unknown steps { id name kind reach users } ways { from kind node key users }
        questions { stepId fieldKey asked answered options { id runs } }
      }
      published { steps { id name users } ways { from kind node key users } }
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

/** The share of the users of a step who take a way out of it, before and after. Undefined where the version has no such
 * way. */
export type WayShares = { before: number | undefined; after: number };

/** The ways of a draft that users come to, by the id that `exitsOf` gives them. */
export function wayShares({ draft, published }: Simulation): Map<string, WayShares> {
  const before = published && taken(published);
  return new Map([...taken(draft)].map(([id, after]) => [id, { before: before?.get(id), after }]));
}

function taken({ steps, ways }: Pick<NonNullable<Simulation['published']>, 'steps' | 'ways'>): Map<string, number> {
  const all = new Map(steps.map(({ id, users }) => [id, users]));
  return new Map(
    ways.flatMap(({ from, kind, node, key, users }) => {
      const of = all.get(from);
      const place = kind === 'CASE' ? `${from}/cases/${node}` : node;
      return of ? [[`${kind.toLowerCase()} ${place} ${key}`.trim(), users / of]] : [];
    }),
  );
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

/** A question of a draft that recorded runs say little of. */
export type QuestionGap = {
  stepId: string;
  fieldKey: string;
  /** The name of its screen. */
  step: string;
  /** Options that none of the runs recorded; all, and of what is typed none, when `unanswered`. */
  options: readonly string[];
  /** No run recorded an answer to it: nothing is known of what depends on it. */
  unanswered: boolean;
  /** No run leaves its screen, so nobody could answer it. */
  unasked: boolean;
};

/** The steps of the draft that no run comes to, and why. */
export const unreachedSteps = ({ draft }: Simulation) => draft.steps.filter(({ reach }) => reach !== 'REACHED');

/** The questions of the draft that nobody could answer, or without what an answer is known of. */
export function questionGaps({ draft }: Simulation): QuestionGap[] {
  const names = new Map(draft.steps.map(({ id, name }) => [id, name || id]));
  return draft.questions.flatMap(({ stepId, fieldKey, asked, answered, options }) => {
    const missing = options.filter(({ runs }) => runs === 0).map(({ id }) => id);
    if (answered > 0 && asked > 0 && missing.length === 0) return [];
    const step = names.get(stepId) ?? stepId;
    return [{ stepId, fieldKey, step, options: missing, unanswered: answered === 0, unasked: asked === 0 }];
  });
}

/** Why no run comes to a step. */
export function reachWords(reach: Simulation['draft']['steps'][number]['reach']): string {
  switch (reach) {
    case 'NO_WAY':
      return 'no way from the first screen leads there';
    case 'NOBODY':
      return 'there is a way, which no run takes';
    case 'POSSIBLE':
      return 'some runs stop before it, where it is not known how they go on';
    case 'REACHED':
      return '';
  }
}

/** What is missing of the answers to a question. */
export function gapWords({ unanswered, unasked, options }: QuestionGap): string {
  if (unasked) return 'no run leaves its screen, so nobody answers it';
  if (unanswered) return 'no run recorded an answer, so conditions on it are not known';
  return `no run chose ${options.slice(0, 5).join(', ')}${options.length > 5 ? ` and ${options.length - 5} more` : ''}`;
}

/** What is said of the simulated share of a step or a way. */
export function simulatedWords({ before, after }: Partial<StepShares>): string {
  const share = (of: number | undefined) => formatShort(of ?? 0, 'share');
  if (after === undefined) return `removed, ${share(before)} of users before`;
  if (before === undefined) return `new, ${share(after)} of users`;
  return `${share(before)} → ${share(after)} of users`;
}
