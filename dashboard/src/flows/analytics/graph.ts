import { Graph, layout } from '@dagrejs/dagre';
import type { Funnel } from './queries';

/** The size of a step on the picture. */
export const box = { width: 172, height: 62 };
/** The part of a screen that stands above the figures of its step. */
export const shot = { width: 148, height: 196, above: 12 };
/** The width of the edge that all runs take. */
const widest = 26;
/** Ways that fewer than this share of all runs took would hide the others. */
const least = 0.01;

export type GraphNode = {
  id: string;
  name: string;
  x: number;
  y: number;
  /** Left out at the two ends, which are no steps. */
  reach?: number;
  drop?: number;
  /** The screen that stands above the figures, by its id. */
  screen?: string;
};
export type GraphEdge = { from: string; to: string; runs: number; width: number; path: string };
export type FlowGraph = {
  nodes: GraphNode[];
  edges: GraphEdge[];
  width: number;
  height: number;
  /** Runs of the ways that are too thin to draw. */
  leftOut: number;
};

/** Where a flow goes to: to the right, or down where there is little room beside it. */
export type Direction = 'right' | 'down';

/** Places the steps of a funnel in the order in which runs come to them, with the ways between them. Whoever left is no
 * way: it is the end of a step's bar. */
export function graphOf(
  { runs, steps, arrivals, exits }: Pick<Funnel, 'runs' | 'steps' | 'arrivals' | 'exits'>,
  direction: Direction = 'right',
  screens: ReadonlySet<string> = new Set(),
): FlowGraph {
  // What goes down is laid out to the right as well, with width and height exchanged, and turned in the end.
  const down = direction === 'down';
  const turn = <P extends Point>({ x, y }: P): Point => (down ? { x: y, y: x } : { x, y });
  const sized = (width: number, height: number) => (down ? { width: height, height: width } : { width, height });
  const names = new Map(steps.map(({ id, name }) => [id, name || id]));
  const begun = arrivals.filter(({ from }) => !from.isStep && from.id === 'start');
  const went = exits.filter(({ from, to }) => from.isStep && (to.isStep || to.id === 'completed'));
  const ways = [...begun, ...went].filter(({ from, to }) => keyOf(from) !== keyOf(to));
  const drawn = ways.filter((way) => way.runs >= Math.max(1, runs * least));
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 26, ranksep: down ? 36 : 60, marginx: 12, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const met = new Set(drawn.flatMap(({ from, to }) => [keyOf(from), keyOf(to)]));
  for (const { id } of steps)
    if (met.has(`step ${id}`)) graph.setNode(`step ${id}`, sized(box.width, heightOf(screens.has(id))));
  for (const end of ['start', 'completed']) if (met.has(end)) graph.setNode(end, sized(92, 34));
  const known = drawn.filter(({ from, to }) => graph.hasNode(keyOf(from)) && graph.hasNode(keyOf(to)));
  for (const { from, to, runs } of known)
    graph.setEdge(keyOf(from), keyOf(to), { weight: Math.max(1, Math.log2(runs)) });
  layout(graph);
  const byKey = new Map(steps.map((step) => [`step ${step.id}`, step]));
  const nodes = graph.nodes().map((key): GraphNode => {
    const { x, y } = turn(graph.node(key) as Point);
    const step = byKey.get(key);
    if (!step) return { id: key, name: key === 'start' ? 'Start' : 'Completed', x, y };
    return {
      id: key,
      name: names.get(step.id) ?? step.id,
      x,
      y,
      reach: step.reach,
      drop: step.drop,
      ...(screens.has(step.id) && { screen: step.id }),
    };
  });
  const edges = known.map(({ from, to, runs: taken }): GraphEdge => {
    const { points } = graph.edge(keyOf(from), keyOf(to)) as { points: Point[] };
    return {
      from: keyOf(from),
      to: keyOf(to),
      runs: taken,
      width: Math.max(1.5, (taken / Math.max(1, runs)) * widest),
      path: pathOf(
        besides(points, graph.node(keyOf(from)) as Placed, graph.node(keyOf(to)) as Placed).map(turn),
        direction,
      ),
    };
  });
  const laid = graph.graph() as { width?: number; height?: number };
  const { width, height } = sized(laid.width ?? 0, laid.height ?? 0);
  const leftOut = ways.reduce((sum, way) => sum + way.runs, 0) - known.reduce((sum, way) => sum + way.runs, 0);
  return { nodes, edges, width, height, leftOut };
}

/** The height of a step, with its screen or without. */
export const heightOf = (screen: boolean) => box.height + (screen ? shot.above + shot.height : 0);

type Point = { x: number; y: number };
type Placed = Point & { width: number };

/** Ways leave a step at its right side and come in at the left; those that go back stay as they were laid. */
function besides(points: readonly Point[], from: Placed, to: Placed): readonly Point[] {
  if (to.x <= from.x) return points;
  const first = { x: from.x + from.width / 2, y: from.y };
  const last = { x: to.x - to.width / 2, y: to.y };
  return [first, ...points.slice(1, -1).filter(({ x }) => x > first.x && x < last.x), last];
}

const keyOf = ({ id, isStep }: { id: string; isStep: boolean }) => (isStep ? `step ${id}` : id);

/** A soft line through points that go one after another in a direction. */
export function pathOf(points: readonly Point[], direction: Direction = 'right'): string {
  const round = (value: number) => Math.round(value * 10) / 10;
  return points
    .map(({ x, y }, i) => {
      const before = points[i - 1];
      if (!before) return `M${round(x)},${round(y)}`;
      if (direction === 'down') {
        const middle = round((before.y + y) / 2);
        return `C${round(before.x)},${middle} ${round(x)},${middle} ${round(x)},${round(y)}`;
      }
      const middle = round((before.x + x) / 2);
      return `C${middle},${round(before.y)} ${middle},${round(y)} ${round(x)},${round(y)}`;
    })
    .join('');
}
