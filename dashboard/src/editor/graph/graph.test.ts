import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Flow, open } from '../document/document';
import { end } from '../document/exits';
import type { Json } from '../document/operation';
import { Random } from '../document/TestRandom';
import { curve } from './curve';
import { arrange, freeSpot, overlap, place, sizeOf, spotNear, walk } from './layout';
import { marksOf, type Ways, waysOf } from './marks';
import { type Graph, graphOf, positionsIn } from './model';
import { selectedSteps, selectionOf } from './selection';

const example = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../manifest/examples/${name}.json`, import.meta.url), 'utf8')) as Flow;
const branching = open(example('branching-onboarding'));
const paywall = open(example('paywall-flow'));
const rowsOf = ({ nodes }: Graph, name: string) =>
  nodes.find((node) => node.name === name)!.rows.map(({ label, to }) => [label, to]);

describe('the graph of an example', () => {
  const graph = graphOf(paywall);

  test('has its screens, decisions, surfaces and the end', () => {
    expect(
      graph.nodes.map(({ kind, name, isEntry }) => (isEntry ? `${kind} ${name} (entry)` : `${kind} ${name}`)),
    ).toEqual([
      'decision Where are we?',
      'decision Trial?',
      'surface Mobile paywall',
      'surface Win-back placement',
      'surface Web payment link',
      'surface Leaving survey (host screen)',
      'screen Offer (entry)',
      'screen Thanks',
      'screen Discount',
      'screen Free plan',
      'end End',
    ]);
  });

  test('says of each way out what takes it', () => {
    expect(rowsOf(graph, 'Where are we?')).toEqual([
      ['Platform is Web', 'surf_web'],
      ['Otherwise', 'surf_mobile'],
    ]);
    expect(rowsOf(graph, 'Win-back placement')).toEqual([
      ['Purchased', 'scr_thanks'],
      ['Purchase canceled', undefined],
      ['Dismissed', undefined],
      ['Failed', undefined],
      ['Restored', 'scr_thanks'],
      ['Otherwise', 'scr_free'],
    ]);
    expect(rowsOf(graph, 'Leaving survey (host screen)')).toContainEqual(['Dismissed', end]);
    expect(rowsOf(graph, 'Thanks')[0]).toEqual(['Next', end]);
  });

  test('has an edge for each row that leads to a step', () => {
    const rows = graph.nodes.flatMap(({ rows }) => rows.filter(({ to }) => to !== undefined));
    expect(graph.edges.map(({ id, to }) => [id, to])).toEqual(rows.map(({ exit, to }) => [exit, to]));
    expect(new Set(graph.edges.map(({ id }) => id)).size).toBe(graph.edges.length);
  });
});

test('options and buttons lead where they say, and conditions are words', () => {
  const graph = graphOf(branching);
  expect(
    graph.nodes.flatMap(({ rows }) => rows.filter(({ kind }) => kind === 'option' || kind === 'button')),
  ).not.toEqual([]);
  const flow = example('branching-onboarding');
  const [, route] = flow.decisionNodes as { cases: { name?: string }[] }[];
  for (const one of route!.cases) delete one.name;
  expect(rowsOf(graphOf(open(flow)), 'Route').map(([label]) => label)).toEqual([
    'Language contains de and Beta user is yes',
    expect.stringMatching(/^Season is Winter or Goal is one of /),
    'Platform is Web',
    'Otherwise',
  ]);
});

test('a way to a step that is not there has a row and no edge', () => {
  const flow = example('paywall-flow');
  (flow.screens as { id: string; next: Record<string, Json> }[]).find(({ id }) => id === 'scr_thanks')!.next.default =
    'scr_lost';
  const graph = graphOf(open(flow));
  expect(rowsOf(graph, 'Thanks')[0]).toEqual(['Next', 'scr_lost']);
  expect(graph.edges.some(({ id }) => id === 'next scr_thanks')).toBe(false);
});

/** Flows of random ways, some of which lead nowhere, to the end, or back. */
function randomWays(random: Random, count: number): Ways {
  const ids = Array.from({ length: count }, (_, i) => `scr_${i}`);
  const target = () => random.pick([undefined, end, ...ids, ...ids, ...ids]);
  return {
    entry: random.below(6) === 0 ? undefined : random.pick(ids),
    next: new Map(ids.map((id) => [id, Array.from({ length: 1 + random.below(3) }, target)])),
  };
}

const screen = (id: string, to: Json) => ({
  id,
  name: id,
  next: { default: to },
  regions: { body: { id: `lyr_${id}`, kind: 'stack', direction: 'vertical', children: [] } },
});

describe('layout', () => {
  const boxes = (graph: Graph, places: ReadonlyMap<string, { x: number; y: number }>) =>
    graph.nodes.map((node) => ({ ...places.get(node.id)!, ...sizeOf(node) }));
  const apart = (all: ReturnType<typeof boxes>) =>
    all.every((one, i) => all.slice(i + 1).every((other) => !overlap(one, other)));

  test('goes to the right, and no step stands on another', () => {
    for (const document of [branching, paywall]) {
      const graph = graphOf(document);
      const { places, points } = arrange(graph);
      expect(points.size).toBe(graph.edges.length - walk(graph).back.size);
      expect(apart(boxes(graph, places))).toBe(true);
      const entry = graph.nodes.find(({ isEntry }) => isEntry)!;
      expect(Math.min(...[...places.values()].map(({ x }) => x))).toBe(places.get(entry.id)!.x);
    }
  });

  test('steps that are added at one point stand beside each other, and move no others', () => {
    const graph = graphOf(branching);
    const before = place(graph, new Map()).places;
    const taken = boxes(graph, before);
    const middle = before.get(graph.nodes[3]!.id)!;
    const own = new Map<string, { x: number; y: number }>();
    const added = Array.from({ length: 12 }, (_, i): Graph['nodes'][number] => ({
      ...{ id: `scr_new${i}`, kind: 'screen', name: 'New', words: '', isEntry: false },
      rows: [{ exit: `new${i}`, label: 'Next', kind: 'next', to: undefined }],
    }));
    for (const node of added) {
      const spot = spotNear(middle, sizeOf(node), taken);
      own.set(node.id, spot);
      taken.push({ ...spot, ...sizeOf(node) });
    }
    expect(apart(taken)).toBe(true);
    const all = { nodes: [...graph.nodes, ...added], edges: graph.edges };
    const { places } = place(all, own);
    expect(apart(boxes(all, places))).toBe(true);
    for (const [id, at] of [...before, ...own]) expect([id, places.get(id)]).toEqual([id, at]);
    // They stand around the point, not in one line away from it.
    const far = [...own.values()].map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y));
    expect(Math.max(...far)).toBeLessThan(2000);
  });

  test('keeps the positions that a person gave', () => {
    const graph = graphOf(paywall);
    const own = new Map([
      ['scr_free', { x: -40, y: 12 }],
      ['scr_gone', { x: 1, y: 1 }],
    ]);
    const { places, points } = place(graph, own);
    const bent = graph.edges.filter(({ id }) => points.has(id));
    expect(bent.length).toBeGreaterThan(0);
    expect(bent.some(({ from, to }) => from === 'scr_free' || to === 'scr_free')).toBe(false);
    expect(places.get('scr_free')).toEqual({ x: -40, y: 12 });
    expect(places.has('scr_gone')).toBe(false);
    expect(apart(boxes(graph, places))).toBe(true);
  });

  test('a place that is taken is moved down, past all that stand there', () => {
    const taken = [0, 50].map((y) => ({ x: 0, y, width: 10, height: 40 }));
    expect(freeSpot({ x: 5, y: 5 }, { width: 10, height: 10 }, taken)).toEqual({ x: 5, y: 118 });
    expect(freeSpot({ x: 20, y: 5 }, { width: 10, height: 10 }, taken)).toEqual({ x: 20, y: 5 });
  });

  test('leaves out the ways back, and only those that close a circle', () => {
    const node = (id: string) => ({ id, kind: 'screen' as const, name: id, words: '', isEntry: id === 'b', rows: [] });
    const edge = (from: string, to: string) => ({ id: from + to, from, to });
    const edges = [edge('a', 'c'), edge('b', 'c'), edge('c', 'd'), edge('b', 'd'), edge('d', 'c'), edge('d', 'd')];
    const { order, back } = walk({ nodes: ['a', 'b', 'c', 'd'].map(node), edges });
    expect(order.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'a']);
    expect([...back].map(({ id }) => id)).toEqual(['dc', 'dd']);
  });

  test('60 screens with 90 ways are laid out at once', () => {
    const random = new Random(7);
    const screens = Array.from({ length: 60 }, (_, i) => {
      const one = screen(`scr_${i}`, i === 59 ? null : `scr_${i + 1}`);
      const button = (at: number) => ({
        id: `lyr_${i}_${at}`,
        kind: 'button',
        // A few screens on, or back.
        action: { kind: 'go_to_step', screenId: `scr_${Math.max(0, Math.min(59, i + random.below(12) - 4))}` },
        children: [],
      });
      one.regions.body.children = (i % 2 ? [button(0)] : []) as never;
      return one;
    });
    const graph = graphOf(open({ entryScreenId: 'scr_0', screens }));
    expect(graph.edges).toHaveLength(90);
    const start = performance.now();
    const { places } = place(graph, new Map());
    console.log(`60 screens, 90 ways: ${Math.round(performance.now() - start)} ms`);
    expect(places.size).toBe(61);
    expect(apart(boxes(graph, places))).toBe(true);
  });
});

describe('marks', () => {
  /** What is true by definition, found by trying every way of up to as many steps as there are. */
  function oracle({ entry, next }: Ways) {
    const walk = (from: string) => {
      let seen = new Set<string | undefined>([from]);
      for (let i = 0; i < next.size + 1; i++)
        seen = new Set([...seen].flatMap((id) => [id, ...(id === undefined ? [] : (next.get(id) ?? []))]));
      return seen;
    };
    return new Map(
      [...next.keys()].flatMap((id) => {
        if (entry === undefined || !walk(entry).has(id)) return [[id, 'unreachable']];
        if (next.get(id)!.includes(undefined)) return [[id, 'deadEnd']];
        const ways = walk(id);
        return ways.has(end) || ways.has(undefined) ? [] : [[id, 'loop']];
      }),
    );
  }

  test('are those of a naive walk, on random graphs', () => {
    const seen = { unreachable: 0, deadEnd: 0, loop: 0 };
    for (let seed = 0; seed < 400; seed++) {
      const random = new Random(seed);
      const ways = randomWays(random, 1 + random.below(9));
      const marks = marksOf(ways);
      expect([seed, Object.fromEntries(marks)]).toEqual([seed, Object.fromEntries(oracle(ways))]);
      for (const mark of marks.values()) seen[mark]++;
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
  });

  test('an example is sound; what a decision does not say leads nowhere', () => {
    expect([...marksOf(waysOf(branching))]).toEqual([]);
    const flow = example('branching-onboarding');
    (flow.decisionNodes as Record<string, Json>[])[1]!.elseNext = null;
    expect([...marksOf(waysOf(open(flow)))]).toEqual([['dec_route', 'deadEnd']]);
  });

  test('screens in a circle are a loop, and one that nothing leads to is not reached', () => {
    const flow = {
      entryScreenId: 'scr_a',
      screens: [screen('scr_a', 'scr_b'), screen('scr_b', 'scr_a'), screen('scr_c', null), screen('scr_d', 'scr_x')],
    };
    expect(Object.fromEntries(marksOf(waysOf(open(flow))))).toEqual({
      scr_a: 'loop',
      scr_b: 'loop',
      scr_c: 'unreachable',
      scr_d: 'unreachable',
    });
  });
});

test('a selection of layers and of steps is one of steps in the graph', () => {
  const steps = (screen: string | null, nodes: string[]) => [...selectedSteps(paywall, { screen, nodes })];
  expect(steps('scr_offer', [])).toEqual(['scr_offer']);
  expect(steps(null, ['dec_platform', 'dec_platform/cases/web'])).toEqual(['dec_platform']);
  const [layer] = [...paywall.parents].find(([, { parent }]) => parent === 'scr_offer')!;
  expect(steps('scr_offer', [layer])).toEqual(['scr_offer']);
  expect(steps(null, [])).toEqual([]);
  expect(selectionOf(paywall, ['scr_offer'])).toEqual({ screen: 'scr_offer' });
  expect(selectionOf(paywall, ['scr_offer', 'dec_platform', end])).toEqual({ nodes: ['scr_offer', 'dec_platform'] });
});

test('positions are read from the document, those that are none left out', () => {
  const nodes = [
    { id: 'scr_1', x: 4, y: -2 },
    { id: 'scr_2', x: '4', y: 0 },
  ];
  expect([...positionsIn(open({ screens: [], builderMeta: { layout: { nodes } } }))]).toEqual([
    ['scr_1', { x: 4, y: -2 }],
  ]);
});

test('an edge goes through its points to the right, and past none that lies behind it', () => {
  const [from, to] = [
    { x: 0, y: 0 },
    { x: 100, y: 40 },
  ];
  expect(curve(from, [], to)).toBe('M0,0C50,0 50,40 100,40');
  expect(curve(from, [{ x: 50, y: 20.04 }], to)).toBe('M0,0C25,0 25,20 50,20C75,20 75,40 100,40');
  expect(
    curve(
      from,
      [
        { x: 4, y: 9 },
        { x: 120, y: 9 },
      ],
      to,
    ),
  ).toBe(curve(from, [], to));
});
