import { Graph as Dagre, layout } from '@dagrejs/dagre';
import type { NodeId } from '../document/operation';
import type { Graph, GraphEdge, GraphNode, Position, StepKind } from './model';

export const rowHeight = 26;
const gap = 28;
const widths: Record<StepKind, number> = { screen: 176, decision: 232, surface: 208, end: 84 };
const headHeight = 40;
const wordsHeight = 44;

/** The phone that screens are drawn for, and where their picture is in their step. */
export const phone = { width: 390, height: 844 };
export const picture = { x: 12, y: headHeight + 1, width: 152, height: 329 };

export type Size = { width: number; height: number };

/** The size at which a step is drawn: the style sheet has the same figures. */
export function sizeOf(node: Pick<GraphNode, 'kind' | 'rows' | 'words'>): Size {
  const { kind, rows } = node;
  if (kind === 'end') return { width: widths.end, height: 36 };
  return { width: widths[kind], height: handleY(node, rows.length) - rowHeight / 2 + 6 };
}

/** How far below the top of a step the middle of one of its rows is. */
export function handleY({ kind, words }: Pick<GraphNode, 'kind' | 'words'>, row: number): number {
  const middle = kind === 'screen' ? picture.height + 6 : words ? wordsHeight : 0;
  return headHeight + middle + 4 + row * rowHeight + rowHeight / 2;
}

/** Where edges come in at. */
export const entryY = headHeight / 2;

/** Where steps stand, by their upper left corners, and the points that an edge goes through so as to pass between them. */
export type Arrangement = {
  places: ReadonlyMap<NodeId, Position>;
  points: ReadonlyMap<string, readonly Position[]>;
};

/** Places steps from left to right in the order in which runs come to them. */
export function arrange({ nodes, edges }: Graph): Arrangement {
  const { order, back } = walk({ nodes, edges });
  const graph = new Dagre({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranker: 'tight-tree', nodesep: gap, ranksep: 88 });
  // Dagre keeps this order among nodes that could stand in any.
  for (const node of order) graph.setNode(node.id, { ...sizeOf(node) });
  // What leads back says nothing of where its steps stand, and would take half of the time.
  for (const edge of edges) if (!back.has(edge)) graph.setEdge(edge.from, edge.to, { weight: 1 }, edge.id);
  layout(graph);
  const places = nodes.map((node) => {
    const { x, y } = graph.node(node.id) as Position;
    const { width, height } = sizeOf(node);
    return [node.id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }] as const;
  });
  const points = edges.flatMap((edge) => {
    if (back.has(edge)) return [];
    const all = graph.edge(edge.from, edge.to, edge.id) as { points: Position[] };
    // Between neighbors nothing stands: the edge goes straight.
    return [[edge.id, all.points.length > 3 ? all.points.slice(1, -1) : []] as const];
  });
  return { places: new Map(places), points: new Map(points) };
}

/** Walks the graph depth-first from its entry, then from what that does not come to. Returns the nodes in the order in
 * which they were met, and the edges that lead back to a node on the way to theirs. */
export function walk({ nodes, edges }: Graph): { order: GraphNode[]; back: ReadonlySet<GraphEdge> } {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const next = new Map<NodeId, GraphEdge[]>();
  for (const edge of edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge]);
  const order: GraphNode[] = [];
  const back = new Set<GraphEdge>();
  const state = new Map<NodeId, 'open' | 'done'>();
  for (const start of nodes.toSorted((a, b) => Number(b.isEntry) - Number(a.isEntry))) {
    if (state.has(start.id)) continue;
    // A flow may be a long line, so the way to a node is a list and no recursion.
    const way: { id: NodeId; rest: GraphEdge[] }[] = [];
    const enter = (id: NodeId) => {
      order.push(byId.get(id)!);
      state.set(id, 'open');
      way.push({ id, rest: [...(next.get(id) ?? [])] });
    };
    enter(start.id);
    for (let at = way.at(-1); at; at = way.at(-1)) {
      const edge = at.rest.shift();
      if (!edge) {
        state.set(at.id, 'done');
        way.pop();
      } else if (!state.has(edge.to)) enter(edge.to);
      else if (state.get(edge.to) === 'open') back.add(edge);
    }
  }
  return { order, back };
}

/** Gives every step a position: its own where it has one, else where the arrangement puts it, or below what stands there.
 * Between steps that stand elsewhere, edges go straight. */
export function place(graph: Graph, own: ReadonlyMap<NodeId, Position>): Arrangement {
  // A step that was placed and has no ways says nothing of where others stand.
  const led = new Set(graph.edges.flatMap(({ from, to }) => [from, to]));
  const auto = arrange({ ...graph, nodes: graph.nodes.filter(({ id }) => led.has(id) || !own.has(id)) });
  const out = new Map<NodeId, Position>();
  const taken: Box[] = [];
  const put = (node: GraphNode, at: Position) => {
    out.set(node.id, at);
    taken.push({ ...at, ...sizeOf(node) });
  };
  // Steps were lower once than they are now: those that were placed then make room for each other.
  const placed = graph.nodes.filter(({ id }) => own.has(id)).sort((a, b) => own.get(a.id)!.y - own.get(b.id)!.y);
  for (const node of placed) put(node, freeSpot(own.get(node.id)!, sizeOf(node), taken));
  const fixed = taken.slice();
  for (const node of graph.nodes)
    if (!own.has(node.id)) put(node, freeSpot(auto.places.get(node.id)!, sizeOf(node), fixed.length > 0 ? taken : []));
  const stays = (id: NodeId) => {
    const [at, was] = [out.get(id)!, auto.places.get(id)];
    return was !== undefined && at.x === was.x && at.y === was.y;
  };
  const kept = graph.edges.filter(({ id, from, to }) => auto.points.has(id) && stays(from) && stays(to));
  return { places: out, points: new Map(kept.map(({ id }) => [id, auto.points.get(id)!])) };
}

export type Box = Position & Size;

/** Moves a position down to where nothing stands. */
export function freeSpot(at: Position, size: Size, taken: readonly Box[]): Position {
  let { x, y } = at;
  for (;;) {
    const other = taken.find((one) => overlap({ x, y, ...size }, one));
    if (!other) return { x, y };
    y = other.y + other.height + gap;
  }
}

/** The place nearest to a point where a step overlaps none of others: beside, above or below them. */
export function spotNear(at: Position, size: Size, taken: readonly Box[]): Position {
  const far = ({ x, y }: Position) => Math.hypot(x - at.x, y - at.y);
  const isFree = ({ x, y }: Position) => {
    const around = {
      x: x - gap + 1,
      y: y - gap + 1,
      width: size.width + 2 * gap - 2,
      height: size.height + 2 * gap - 2,
    };
    return !taken.some((one) => overlap(around, one));
  };
  if (isFree(at)) return at;
  // The nearest leave room somewhere at their edge; of a large graph the rest would take too long.
  const nearest = taken.toSorted((a, b) => far(a) - far(b)).slice(0, 40);
  const xs = [at.x, ...nearest.flatMap((one) => [one.x - size.width - gap, one.x + one.width + gap])];
  const ys = [at.y, ...nearest.flatMap((one) => [one.y - size.height - gap, one.y + one.height + gap])];
  const spots = xs.flatMap((x) => ys.map((y) => ({ x, y }))).sort((a, b) => far(a) - far(b));
  return spots.find(isFree) ?? freeSpot(at, size, taken);
}

export function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
