import { expect, test } from 'vitest';
import {
  changedShares,
  gapWords,
  questionGaps,
  type Simulation,
  simulatedWords,
  stepShares,
  unreachedSteps,
  wayShares,
} from './simulation';

type Step = Simulation['draft']['steps'][number];

const step = (id: string, users: number): Step => ({
  id,
  name: id.toUpperCase(),
  kind: 'SCREEN',
  reach: users > 0 ? 'REACHED' : 'NOBODY',
  users,
});
type Question = Simulation['draft']['questions'][number];
const simulated = (users: number, draft: Step[], published: Step[] | null, questions: Question[] = []): Simulation => ({
  revision: 3,
  runs: users,
  users,
  version: published && 1,
  draft: { unknown: 0, steps: draft, ways: [], questions },
  published: published && { steps: published, ways: [] },
});

test('each step of both flows has its shares of all users, those that are removed last', () => {
  const both = simulated(200, [step('a', 200), step('new', 50)], [step('a', 100), step('gone', 20)]);
  expect(stepShares(both)).toEqual([
    { id: 'a', name: 'A', before: 0.5, after: 1 },
    { id: 'new', name: 'NEW', before: undefined, after: 0.25 },
    { id: 'gone', name: 'GONE', before: 0.1, after: undefined },
  ]);
});

test('without users, and without a version, shares are those of nobody', () => {
  expect(stepShares(simulated(0, [step('a', 0)], [step('a', 0)]))).toEqual([
    { id: 'a', name: 'A', before: 0, after: 0 },
  ]);
  expect(stepShares(simulated(10, [step('a', 5)], null))).toEqual([
    { id: 'a', name: 'A', before: undefined, after: 0.5 },
  ]);
});

type Way = Simulation['draft']['ways'][number];
const way = (kind: Way['kind'], from: string, users: number, node = from, key = ''): Way => ({
  from,
  kind,
  node,
  key,
  users,
});

test('ways have their shares of the users of their step, by the ids of the editor', () => {
  const both = simulated(200, [step('a', 200), step('which', 100), step('nobody', 0)], [step('a', 50)]);
  both.draft.ways = [
    way('NEXT', 'a', 100),
    way('OPTION', 'a', 60, 'lyr_goal', 'daily'),
    way('CASE', 'which', 25, 'first'),
    way('ELSE', 'which', 75),
    way('NEXT', 'nobody', 0),
  ];
  both.published!.ways = [way('NEXT', 'a', 50), way('ELSE', 'which', 9)];
  expect(Object.fromEntries(wayShares(both))).toEqual({
    'next a': { before: 1, after: 0.5 },
    'option lyr_goal daily': { before: undefined, after: 0.3 },
    'case which/cases/first': { before: undefined, after: 0.25 },
    'else which': { before: undefined, after: 0.75 },
  });
});

test('changes begin with the largest, and those that nobody would notice are left out', () => {
  const both = simulated(
    1000,
    [step('same', 500), step('hardly', 504), step('less', 100), step('new', 950)],
    [step('same', 500), step('hardly', 500), step('less', 400), step('gone', 5)],
  );
  expect(changedShares(both).map(({ id }) => id)).toEqual(['new', 'less', 'gone']);
});

test('words say what was before, what is new and what is removed', () => {
  const words = (before?: number, after?: number) => simulatedWords({ id: 'a', name: 'A', before, after });
  expect(words(0.5, 0.25)).toMatch(/^50.* → 25.* of users$/);
  expect(words(undefined, 0.25)).toMatch(/^new, 25.* of users$/);
  expect(words(0.5, undefined)).toMatch(/^removed, 50.* of users before$/);
});

test('steps that no run reaches and questions without answers are told from the others', () => {
  const question = (fieldKey: string, asked: number, answered: number, ...options: number[]): Question => ({
    stepId: 'a',
    fieldKey,
    asked,
    answered,
    options: options.map((runs, at) => ({ id: `o${at}`, runs })),
  });
  const questions = [
    question('known', 9, 9, 4, 5),
    question('new', 9, 0, 0, 0),
    question('apart', 0, 3, 3),
    question('option', 9, 9, 9, 0),
    question('typed', 9, 2),
  ];
  const gaps = simulated(9, [step('a', 9), step('b', 0)], null, questions);
  expect(unreachedSteps(gaps).map(({ id }) => id)).toEqual(['b']);
  expect(questionGaps(gaps).map((gap) => [gap.fieldKey, gap.step, gapWords(gap)])).toEqual([
    ['new', 'A', 'no run recorded an answer, so conditions on it are not known'],
    ['apart', 'A', 'no run leaves its screen, so nobody answers it'],
    ['option', 'A', 'no run chose o1'],
  ]);
});
