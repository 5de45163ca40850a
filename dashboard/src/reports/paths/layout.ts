import type { DataOf } from '../../graphql/graphql';

export type Paths = NonNullable<NonNullable<NonNullable<DataOf<'Paths'>['app']>['productAnalytics']>['paths']>;
export type PathNode = Paths['nodes'][number];
export type PathLink = Paths['links'][number];

/** Where a node is: its bar, and the row of its name, which is at least as high. */
export type Placed = { node: PathNode; x: number; y: number; height: number; row: number };

/** A ribbon between two nodes: where it leaves, where it arrives, and how thick it is. */
export type Ribbon = { link: PathLink; x1: number; y1: number; x2: number; y2: number; height: number };

/** What did not go on to a node that is shown, at the foot of a bar. */
export type Stub = { node: PathNode; kind: 'ended' | 'beyond'; x: number; y: number; height: number };

export type Layout = { width: number; height: number; nodes: Placed[]; ribbons: Ribbon[]; stubs: Stub[] };

/** In pixels. */
export const sizes = { bar: 8, row: 22, gap: 8, tallest: 300, column: 148, stub: 18 } as const;

/** Puts the columns of steps side by side: heights are sessions on one scale, ribbons lie in the order of the nodes they
 * lead to, and what ended is below them. Time goes to the right: before an anchor, it is the last column. */
export function layOut({ sessions, nodes, links }: Paths, width: number, before = false): Layout {
  const steps = Math.max(1, ...nodes.map(({ step }) => step));
  const full = Math.max(width, steps * sizes.column);
  const scale = sizes.tallest / Math.max(1, sessions);
  const columnOf = (step: number) =>
    before ? sizes.stub + ((full - sizes.stub) / steps) * (steps - step) : (full / steps) * (step - 1);
  const placed = place(nodes, scale, columnOf);
  const ribbons: Ribbon[] = [];
  const left = placed.map(({ y }) => y);
  const arrived = placed.map(({ y }) => y);
  for (const link of links) {
    const [from, to] = [placed[link.from]!, placed[link.to]!];
    const height = link.sessions * scale;
    ribbons.push({
      link,
      ...(before ? { x1: from.x, x2: to.x + sizes.bar } : { x1: from.x + sizes.bar, x2: to.x }),
      y1: left[link.from]!,
      y2: arrived[link.to]!,
      height,
    });
    left[link.from]! += height;
    arrived[link.to]! += height;
  }
  const stubs = placed.flatMap(({ node, x }): Stub[] => {
    const beyond = node.step === steps ? node.continued * scale : 0;
    const y = left[node.node]!;
    const at = { node, x: before ? x - sizes.stub : x + sizes.bar };
    return [
      ...(beyond > 0 ? [{ ...at, kind: 'beyond' as const, y, height: beyond }] : []),
      ...(node.ended > 0 ? [{ ...at, kind: 'ended' as const, y: y + beyond, height: node.ended * scale }] : []),
    ];
  });
  return { width: full, height: Math.max(0, ...placed.map(({ y, row }) => y + row)), nodes: placed, ribbons, stubs };
}

function place(nodes: readonly PathNode[], scale: number, columnOf: (step: number) => number): Placed[] {
  let y = 0;
  return nodes.map((node, i) => {
    if (nodes[i - 1]?.step !== node.step) y = 0;
    const height = Math.max(1, node.sessions * scale);
    const row = Math.max(sizes.row, height);
    const at = { node, x: columnOf(node.step), y, height, row };
    y += row + sizes.gap;
    return at;
  });
}

/** The outline of a ribbon. */
export function ribbonOf({ x1, y1, x2, y2, height }: Ribbon): string {
  const middle = (x1 + x2) / 2;
  const thick = Math.max(1, height);
  return (
    `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}v${thick}` +
    `C${middle} ${y2 + thick} ${middle} ${y1 + thick} ${x1} ${y1 + thick}Z`
  );
}

/** The node that an arrow key goes to: within its step, or to the nearest of the next one. */
export function nodeAt(placed: readonly Placed[], from: number, key: string): number | undefined {
  const here = placed[from]!;
  const vertical = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (vertical !== undefined) {
    const next = placed[from + vertical];
    return next?.node.step === here.node.step ? next.node.node : undefined;
  }
  const horizontal = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (horizontal === undefined) return undefined;
  const toward = placed.some(({ x }) => x < placed[0]!.x) ? -horizontal : horizontal; // the anchor is the last column
  const beside = placed.filter(({ node }) => node.step === here.node.step + toward);
  const far = ({ y, row }: Placed) => Math.abs(y + row / 2 - (here.y + here.row / 2));
  return beside.toSorted((a, b) => far(a) - far(b))[0]?.node.node;
}

/** The links of the likeliest way through a node: what leads to it and away from it. */
export const linksOf = (links: readonly PathLink[], node: number | undefined): Set<PathLink> =>
  new Set(links.filter(({ from, to }) => from === node || to === node));

/** What a node is in any answer: its place is another one when others come before it. */
export const keyOf = ({ step, kind, name }: PathNode) => JSON.stringify([step, kind, name]);

/** The sessions of each node in another answer, by its place in this one; the others of a step are never the same. */
export function sessionsBefore(nodes: readonly PathNode[], before: Paths | null | undefined): Map<number, number> {
  const known = new Map((before?.nodes ?? []).map((node) => [keyOf(node), node.sessions]));
  return new Map(
    nodes.flatMap((node) => {
      const sessions = node.name === null ? undefined : known.get(keyOf(node));
      return sessions === undefined ? [] : [[node.node, sessions] as const];
    }),
  );
}
