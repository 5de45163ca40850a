import { expect, test } from 'vitest';
import { layOut, linksOf, nodeAt, type Paths, ribbonOf, sessionsBefore, sizes } from './layout';

const node = (node: number, step: number, name: string | null, sessions: number, ended: number) => ({
  node,
  step,
  kind: name === null ? null : ('PAGE' as const),
  name,
  sessions,
  ended,
  continued: sessions - ended,
});

const paths: Paths = {
  sessions: 100,
  nodes: [
    node(0, 1, '/', 100, 10),
    node(1, 2, '/a', 60, 20),
    node(2, 2, '/b', 29, 29),
    node(3, 2, null, 1, 1),
    node(4, 3, '/c', 40, 15),
  ],
  links: [
    { from: 0, to: 1, sessions: 60 },
    { from: 0, to: 2, sessions: 29 },
    { from: 0, to: 3, sessions: 1 },
    { from: 1, to: 4, sessions: 40 },
  ],
};

test('ribbons and stubs fill a bar without gaps, on one scale', () => {
  const { nodes, ribbons, stubs, width, height } = layOut(paths, 900);
  expect(width).toBe(900);
  expect(nodes.map(({ x }) => x)).toEqual([0, 300, 300, 300, 600]);
  expect(nodes[0]!.height).toBe(sizes.tallest);
  for (const { node, y, height } of nodes) {
    const parts = [
      ...ribbons.filter(({ link }) => link.from === node.node).map(({ y1, height }) => [y1, height] as const),
      ...stubs.filter((stub) => stub.node === node).map(({ y, height }) => [y, height] as const),
    ];
    let at = y;
    for (const [top, thick] of parts) {
      expect(top).toBeCloseTo(at);
      at += thick;
    }
    expect(at - y).toBeCloseTo(height);
  }
  expect(height).toBeCloseTo(Math.max(...nodes.map(({ y, row }) => y + row)));
});

test('rows of a step never overlap, however few sessions they have', () => {
  const { nodes } = layOut(paths, 900);
  for (const [i, below] of nodes.entries()) {
    const above = nodes[i - 1];
    if (above?.node.step === below.node.step) expect(below.y).toBeGreaterThanOrEqual(above.y + sizes.row + sizes.gap);
  }
});

test('what went on beyond the last step is no end', () => {
  const { stubs } = layOut(paths, 900);
  expect(stubs.filter(({ node }) => node.node === 4).map(({ kind, height }) => [kind, height])).toEqual([
    ['beyond', 25 * 3],
    ['ended', 15 * 3],
  ]);
});

test('before an anchor it is the last column, and ribbons lead to the left', () => {
  const { nodes, ribbons, stubs } = layOut(paths, 900 + sizes.stub, true);
  expect(nodes.map(({ x }) => x - sizes.stub)).toEqual([600, 300, 300, 300, 0]);
  expect(ribbons.every(({ x1, x2 }) => x2 < x1)).toBe(true);
  expect(Math.min(...stubs.map(({ x }) => x))).toBe(0);
  expect(nodeAt(nodes, 0, 'ArrowLeft')).toBe(1);
  expect(nodeAt(nodes, 4, 'ArrowRight')).toBe(1);
  expect(nodeAt(nodes, 0, 'ArrowRight')).toBeUndefined();
});

test('a narrow screen scrolls', () => {
  expect(layOut(paths, 300).width).toBe(3 * sizes.column);
  expect(layOut({ sessions: 0, nodes: [], links: [] }, 300)).toMatchObject({ width: 300, height: 0, nodes: [] });
});

test('a ribbon is closed and at least a pixel thick', () => {
  expect(ribbonOf({ link: paths.links[0]!, x1: 0, y1: 0, x2: 10, y2: 5, height: 0.1 })).toBe(
    'M0 0C5 0 5 5 10 5v1C5 6 5 1 0 1Z',
  );
});

test('arrows go up and down a step, and to the nearest node of the next one', () => {
  const { nodes } = layOut(paths, 900);
  expect(nodeAt(nodes, 1, 'ArrowDown')).toBe(2);
  expect(nodeAt(nodes, 1, 'ArrowUp')).toBeUndefined();
  expect(nodeAt(nodes, 3, 'ArrowDown')).toBeUndefined();
  expect(nodeAt(nodes, 0, 'ArrowRight')).toBe(1);
  expect(nodeAt(nodes, 3, 'ArrowLeft')).toBe(0);
  expect(nodeAt(nodes, 4, 'ArrowRight')).toBeUndefined();
  expect(nodeAt(nodes, 4, 'x')).toBeUndefined();
});

test('links of a node lead there and away', () => {
  expect([...linksOf(paths.links, 1)]).toEqual([paths.links[0], paths.links[3]]);
  expect(linksOf(paths.links, undefined).size).toBe(0);
});

test('nodes are compared by step, kind and name, and the others of a step with nothing', () => {
  const before = { ...paths, nodes: [node(0, 1, '/', 50, 0), node(1, 2, '/b', 7, 7), node(2, 2, null, 3, 3)] };
  expect([...sessionsBefore(paths.nodes, before)]).toEqual([
    [0, 50],
    [2, 7],
  ]);
  expect(sessionsBefore(paths.nodes, null).size).toBe(0);
});
