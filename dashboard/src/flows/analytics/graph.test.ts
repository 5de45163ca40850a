import { expect, test } from 'vitest';
import { box, graphOf, heightOf, pathOf } from './graph';

const step = (id: string, reach: number, drop: number) => ({
  id,
  name: id.toUpperCase(),
  kind: 'SCREEN' as const,
  reach,
  people: reach,
  fromStart: null,
  completed: 0,
  skipped: 0,
  drop,
  open: 0,
  medianSeconds: null,
});
const node = (id: string, isStep = true) => ({ id, isStep });
const way = (from: ReturnType<typeof node>, to: ReturnType<typeof node>, runs: number) => ({ from, to, runs });
const funnel = {
  runs: 1000,
  steps: [step('a', 1000, 200), step('b', 700, 100), step('start', 100, 0)],
  arrivals: [way(node('start', false), node('a'), 1000), way(node('a'), node('b'), 700)],
  exits: [
    way(node('a'), node('b'), 700),
    way(node('a'), node('start'), 100),
    way(node('a'), node('dropped', false), 200),
    way(node('b'), node('completed', false), 596),
    way(node('b'), node('a'), 4),
    way(node('start'), node('b'), 100),
  ],
};

test('steps stand from left to right with the ways between them, as wide as their runs', () => {
  const { nodes, edges, leftOut } = graphOf(funnel);
  const x = (id: string) => nodes.find((node) => node.id === id)!.x;
  expect(x('start')).toBeLessThan(x('step a'));
  expect(x('step a')).toBeLessThan(x('step b'));
  expect(x('step b')).toBeLessThan(x('completed'));
  expect(edges.map(({ from, to, runs }) => [from, to, runs])).toEqual([
    ['start', 'step a', 1000],
    ['step a', 'step b', 700],
    ['step a', 'step start', 100], // a step of that name is not the start
    ['step b', 'completed', 596],
    ['step start', 'step b', 100],
  ]);
  expect(edges[0]!.width / edges[1]!.width).toBeCloseTo(1000 / 700);
  expect(leftOut).toBe(4);
  expect(nodes.find(({ id }) => id === 'step a')).toMatchObject({ name: 'A', reach: 1000, drop: 200 });
});

test('where there is little room the same steps stand one below another', () => {
  const { nodes, edges, width, height } = graphOf(funnel, 'down');
  const at = (id: string) => nodes.find((node) => node.id === id)!;
  expect(at('start').y).toBeLessThan(at('step a').y);
  expect(at('step a').y).toBeLessThan(at('step b').y);
  expect(at('step b').y).toBeLessThan(at('completed').y);
  expect(edges.map(({ from, to, runs }) => [from, to, runs])).toEqual(
    graphOf(funnel).edges.map(({ from, to, runs }) => [from, to, runs]),
  );
  for (const { x, y, reach } of nodes) {
    const [wide, tall] = reach === undefined ? [92, 34] : [box.width, box.height];
    expect([x - wide / 2, y - tall / 2].every((edge) => edge >= 0) && x + wide / 2 <= width).toBe(true);
    expect(y + tall / 2).toBeLessThanOrEqual(height);
  }
  const beside = nodes.filter(({ id, reach }) => reach !== undefined && id !== 'step a');
  for (const a of beside)
    for (const b of beside)
      if (a !== b) expect(Math.abs(a.x - b.x) >= box.width || Math.abs(a.y - b.y) >= box.height).toBe(true);
});

test('nobody makes no picture', () => {
  expect(graphOf({ runs: 0, steps: [], arrivals: [], exits: [] })).toMatchObject({ nodes: [], edges: [], leftOut: 0 });
});

test('a line is soft and goes through its points', () => {
  expect(
    pathOf([
      { x: 0, y: 0 },
      { x: 10, y: 4 },
    ]),
  ).toBe('M0,0C5,0 5,4 10,4');
  expect(
    pathOf(
      [
        { x: 0, y: 0 },
        { x: 10, y: 4 },
      ],
      'down',
    ),
  ).toBe('M0,0C0,2 10,2 10,4');
});

test('a step whose screen is drawn is as much taller, in either direction, and no two steps overlap', () => {
  const screens = new Set(['a', 'b', 'nowhere']);
  for (const direction of ['right', 'down'] as const) {
    const { nodes, height, width } = graphOf(funnel, direction, screens);
    expect(nodes.filter(({ screen }) => screen).map(({ id, screen }) => [id, screen])).toEqual([
      ['step a', 'a'],
      ['step b', 'b'],
    ]);
    const steps = nodes.filter(({ reach }) => reach !== undefined);
    for (const one of steps) {
      const half = heightOf(one.screen !== undefined) / 2;
      expect(one.y - half).toBeGreaterThanOrEqual(0);
      expect(one.y + half).toBeLessThanOrEqual(height);
      expect(one.x + box.width / 2).toBeLessThanOrEqual(width);
      for (const other of steps) {
        if (one === other) continue;
        const apart =
          Math.abs(one.x - other.x) >= box.width ||
          Math.abs(one.y - other.y) >= half + heightOf(other.screen !== undefined) / 2;
        expect(apart).toBe(true);
      }
    }
  }
});
