import { expect, test } from 'vitest';
import type { Paths } from './layout';
import { linksTo, stepsTo } from './steps';

const node = (node: number, step: number, kind: 'PAGE' | 'EVENT' | null, name: string | null) => ({
  node,
  step,
  kind,
  name,
  sessions: 9,
  ended: 0,
  continued: 9,
});

const paths: Paths = {
  sessions: 9,
  nodes: [
    node(0, 1, 'PAGE', '/'),
    node(1, 2, 'PAGE', '/pricing'),
    node(2, 2, 'PAGE', '/blog/**'),
    node(3, 2, null, null),
    node(4, 3, 'EVENT', 'sign_up'),
    node(5, 3, 'EVENT', 'signed_*'),
  ],
  links: [
    { from: 0, to: 1, sessions: 2 },
    { from: 0, to: 2, sessions: 3 },
    { from: 0, to: 3, sessions: 4 },
    { from: 1, to: 4, sessions: 1 },
    { from: 2, to: 4, sessions: 3 },
    { from: 3, to: 4, sessions: 4 },
    { from: 2, to: 5, sessions: 1 },
  ],
};

test('a funnel follows the way of most sessions that names all its steps', () => {
  const home = { name: 'Viewed /', condition: { page: { op: 'IS', name: '/' } } };
  const blog = { name: 'Viewed /blog/**', condition: { page: { op: 'IS', name: '/blog/**' } } };
  const signUp = { name: 'sign_up', condition: { event: { name: 'sign_up' } } };
  expect(stepsTo(paths, paths.nodes[4]!, false)).toEqual([home, blog, signUp]);
  expect(stepsTo(paths, paths.nodes[4]!, true)).toEqual([signUp, blog, home]);
  expect(linksTo(paths, paths.nodes[4]!).map(({ from }) => from.name)).toEqual(['/blog/**', '/pricing']);
});

test('what no condition of a step says makes no funnel', () => {
  expect(stepsTo(paths, paths.nodes[0]!, false)).toBeUndefined(); // one step
  expect(stepsTo(paths, paths.nodes[3]!, false)).toBeUndefined(); // all others together
  expect(stepsTo(paths, paths.nodes[5]!, false)).toBeUndefined(); // a pattern of events
});
