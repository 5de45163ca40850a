import { expect, test } from 'vitest';
import { graphOf, pathOf } from './graph';

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
});
