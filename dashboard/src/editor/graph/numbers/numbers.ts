import { formatExact, formatShort } from '../../../ui/format';
import { type Exit, end } from '../../document/exits';
import type { NodeId } from '../../document/operation';
import { simulatedWords, type WayShares } from '../../simulation';
import type { Graph, GraphEdge } from '../model';
import type { Report } from './queries';

/** What the report says of a step; `new` when the version does not have it. */
export type StepNumbers = 'new' | { people: number; reach: number; drop: number };

export type Numbers = {
  /** By step. Decisions have theirs on their ways out. */
  steps: ReadonlyMap<NodeId, StepNumbers>;
  /** The share of the runs at the beginning of a way that took it, by way. */
  ways: ReadonlyMap<string, number>;
};

/** Lays a funnel over a graph. `exitOf` tells which case of a decision a way is. */
export function numbersOn(graph: Graph, report: Report, exitOf: (way: string) => Exit | undefined): Numbers {
  const known = new Map(report.steps.map((step) => [step.id, step]));
  const decided = new Set(report.decisions.map(({ node }) => node));
  const steps = new Map<NodeId, StepNumbers>();
  for (const { id, kind } of graph.nodes) {
    if (kind === 'end' || (kind === 'decision' && decided.has(id))) continue;
    const { people, reach, drop } = known.get(id) ?? {};
    steps.set(id, people === undefined ? 'new' : { people, reach: reach!, drop: drop! });
  }

  const outOf = new Map<NodeId, GraphEdge[]>();
  for (const edge of graph.edges) outOf.set(edge.from, [...(outOf.get(edge.from) ?? []), edge]);
  const kinds = new Map(graph.nodes.map(({ id, kind }) => [id, kind]));
  /** The steps at which runs that take a way are seen next: decisions are not visited. */
  const targetsOf = (to: NodeId, passed = new Set<NodeId>()): Set<NodeId> => {
    if (kinds.get(to) !== 'decision') return passed.add(to);
    if (passed.has(to)) return passed;
    passed.add(to);
    for (const edge of outOf.get(to) ?? []) targetsOf(edge.to, passed);
    return passed;
  };
  const runs = new Map<string, number>();
  for (const { from, to, runs: went } of report.exits)
    if (from.isStep && (to.isStep || to.id === 'completed')) runs.set(`${from.id} ${to.isStep ? to.id : end}`, went);

  const ways = new Map<string, number>();
  for (const [from, edges] of outOf) {
    if (kinds.get(from) === 'decision') {
      const cases = report.decisions.filter(({ node }) => node === from);
      const all = cases.reduce((sum, { runs }) => sum + runs, 0);
      for (const { id } of edges) {
        const exit = exitOf(id);
        const key = exit?.kind === 'else' ? '' : exit?.node.slice(`${from}/cases/`.length);
        const taken = cases.find((one) => one.case === key);
        if (all > 0 && taken) ways.set(id, taken.runs / all);
      }
      continue;
    }
    const reach = known.get(from)?.reach ?? 0;
    if (reach === 0) continue;
    const targets = edges.map(({ to }) => targetsOf(to));
    edges.forEach(({ id, to }, i) => {
      if (kinds.get(to) === 'decision' && !decided.has(to)) return;
      const own = [...targets[i]!].filter((step) => kinds.get(step) !== 'decision');
      // The report knows where runs went to, not by which of two ways.
      if (own.some((step) => targets.some((others, at) => at !== i && others.has(step)))) return;
      const counts = own.flatMap((step) => runs.get(`${from} ${step}`) ?? []);
      if (counts.length > 0) ways.set(id, counts.reduce((sum, one) => sum + one, 0) / reach);
    });
  }
  return { steps, ways };
}

/** The share of those who reached a step that left there, as the flow's report has it; null when nobody reached it. */
export const dropRate = ({ reach, drop }: { reach: number; drop: number }): number | null =>
  reach > 0 ? drop / reach : null;

/** What a screen reader says of the numbers of a step. */
export function numberWords(numbers: StepNumbers): string {
  if (numbers === 'new') return 'New since the version';
  const { people } = numbers;
  const users = `${formatExact(people, 'count')} ${people === 1 ? 'user' : 'users'} reached it`;
  const rate = dropRate(numbers);
  return rate === null ? users : `${users}, ${formatShort(rate, 'share')} left there`;
}

/** What stands on a way: its share, and a note of what it was where recorded runs, simulated, would take it otherwise. */
export type WayLabel = { share?: string; note?: string };

/** Labels a way by its share of the runs, or by the simulated ones where they are shown, and says so in words. */
export function wayLabel(recorded: number | undefined, simulated: WayShares | undefined): [WayLabel, words: string] {
  const share = (of: number) => formatShort(of, 'share');
  if (!simulated)
    return recorded === undefined ? [{}, ''] : [{ share: share(recorded) }, `, ${share(recorded)} of runs`];
  const { before, after } = simulated;
  const was = before === undefined ? 'new' : share(before) === share(after) ? undefined : `was ${share(before)}`;
  return [{ share: share(after), note: was }, `. Simulated: ${simulatedWords(simulated)}`];
}
