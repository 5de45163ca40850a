import type { FunnelStepInput } from '../../graphql/schema.gen';
import type { PathNode, Paths } from './layout';
import { nameOf } from './names';

/** The nodes of the step before from which sessions came to a node, or to which they went before the anchor: the most
 * sessions first, without all others together. */
export const linksTo = ({ nodes, links }: Paths, { node }: PathNode) =>
  links
    .filter(({ from, to }) => to === node && nodes[from]!.name !== null)
    .map(({ from, sessions }) => ({ from: nodes[from]!, sessions }))
    .sort((a, b) => b.sessions - a.sessions);

/** The steps of a funnel along the path that most sessions took between the anchor and a node, in the order of time.
 * Undefined where a node is what no condition says: all others together, or a pattern of events. */
export function stepsTo(paths: Paths, node: PathNode, before: boolean): FunnelStepInput[] | undefined {
  const way = [node];
  while (way[0]!.step > 1) {
    const link = linksTo(paths, way[0]!)[0];
    if (!link) return undefined;
    way.unshift(link.from);
  }
  if (before) way.reverse();
  const steps = way.flatMap((at) => stepOf(at) ?? []);
  return steps.length > 1 && steps.length === way.length ? steps : undefined;
}

function stepOf(node: PathNode): FunnelStepInput | undefined {
  const { kind, name } = node;
  if (!kind || !name || (kind === 'EVENT' && name.includes('*'))) return undefined;
  if (kind === 'EVENT') return { name, condition: { event: { name } } };
  const view = { op: 'IS' as const, name };
  return {
    name: `Viewed ${nameOf(node)}`.slice(0, 100),
    condition: kind === 'PAGE' ? { page: view } : { screen: view },
  };
}
