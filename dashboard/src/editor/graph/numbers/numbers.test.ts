import { expect, test } from 'vitest';
import type { Exit } from '../../document/exits';
import type { Graph, GraphNode } from '../model';
import { numbersOn, numberWords, wayLabel } from './numbers';
import type { Report } from './queries';

const node = (id: string, kind: GraphNode['kind']): GraphNode => ({
  id,
  kind,
  name: id,
  words: '',
  isEntry: id === 'a',
  rows: [],
});
const edge = (id: string, from: string, to: string) => ({ id, from, to });
const graph: Graph = {
  nodes: [
    ...['a', 'b', 'c', 'added'].map((id) => node(id, 'screen')),
    node('which', 'decision'),
    node('later', 'decision'),
    node('end', 'end'),
  ],
  edges: [
    edge('next a', 'a', 'which'),
    edge('skip a', 'a', 'end'),
    edge('case which/cases/first', 'which', 'b'),
    edge('else which', 'which', 'c'),
    edge('tap b', 'b', 'c'),
    edge('next b', 'b', 'c'),
    edge('next c', 'c', 'later'),
    edge('else later', 'later', 'end'),
  ],
};
const step = (id: string, reach: number, people: number, drop: number) => ({ id, reach, people, drop });
const went = (from: string, to: string, runs: number, isStep = true) => ({
  from: { id: from, isStep: true },
  to: { id: to, isStep },
  runs,
});
const report: Report = {
  runs: 200,
  steps: [step('a', 200, 150, 30), step('b', 100, 90, 0), step('c', 0, 0, 0)],
  exits: [
    went('a', 'b', 100),
    went('a', 'c', 40),
    went('a', 'completed', 30, false),
    went('a', 'dropped', 30, false),
    went('b', 'c', 100),
  ],
  decisions: [
    { node: 'which', case: 'first', runs: 120 },
    { node: 'which', case: '', runs: 40 },
  ],
};
const exitOf = (way: string): Exit => {
  const [kind, node] = way.split(' ') as [Exit['kind'], string];
  return { id: way, step: node, kind, node, path: [], to: undefined };
};
const numbers = numbersOn(graph, report, exitOf);

test('steps have the numbers of the report, and those that it does not know are new', () => {
  expect([...numbers.steps]).toEqual([
    ['a', { people: 150, reach: 200, drop: 30 }],
    ['b', { people: 90, reach: 100, drop: 0 }],
    ['c', { people: 0, reach: 0, drop: 0 }],
    ['added', 'new'],
    ['later', 'new'],
  ]);
});

test('ways have shares where the report can tell: through decisions, but not of two ways to one step', () => {
  expect(Object.fromEntries(numbers.ways)).toEqual({
    'next a': 0.7,
    'skip a': 0.15,
    'case which/cases/first': 0.75,
    'else which': 0.25,
  });
});

test('numbers are said in words', () => {
  const words = [...numbers.steps.values()].map(numberWords);
  expect(words.slice(0, 4)).toEqual([
    '150 users reached it, 15% left there',
    '90 users reached it, 0% left there',
    '0 users reached it',
    'New since the version',
  ]);
  expect(numberWords({ people: 1, reach: 4_000_000_000, drop: 1 })).toBe('1 user reached it, 0% left there');
});

test('a decision that leads back to itself is walked once', () => {
  const loop = { ...graph, edges: [...graph.edges, edge('case which/cases/again', 'which', 'which')] };
  expect(numbersOn(loop, report, exitOf).ways.get('next a')).toBe(0.7);
});

test('ways are labeled by the report, or by the simulator and what its share was', () => {
  expect(wayLabel(undefined, undefined)).toEqual([{}, '']);
  expect(wayLabel(0.25, undefined)).toEqual([{ share: '25%' }, ', 25% of runs']);
  expect(wayLabel(0.25, { before: 0.55, after: 0.62 })).toEqual([
    { share: '62%', note: 'was 55%' },
    '. Simulated: 55% → 62% of users',
  ]);
  expect(wayLabel(0.25, { before: 0.62004, after: 0.62 })[0]).toEqual({ share: '62%' });
  expect(wayLabel(undefined, { before: undefined, after: 0.1 })).toEqual([
    { share: '10%', note: 'new' },
    '. Simulated: new, 10% of users',
  ]);
});
