import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { canonical } from './canonical';
import { Entries } from './entries';
import { settle, TestNetwork } from './TestNetwork';
import { Random, small } from './TestRandom';
import type { Entry } from './undo';

const entry = (at: number): Entry => ({
  name: `Write “${at} € \u2028”`,
  edits: [
    {
      step: { name: 'sent', operations: [{ op: 'remove', node: `lyr_${at}` }] },
      inverse: [{ op: 'set', node: `lyr_${at}`, path: ['text', 'default'], value: { a: [at, null, 'ü'] } }],
      sent: true,
      acknowledged: true,
      seen: at,
    },
  ],
  before: { screen: 'scr_1', nodes: [`lyr_${at}`] },
  after: { screen: null, nodes: [] },
});

/** What undo reads. */
const plain = ({ name, before, after, edits }: Entry) => ({
  name,
  before,
  after,
  edits: edits.map(({ inverse, seen }) => ({ inverse, seen })),
});

test('a thousand entries come back as they were, the last first', () => {
  const entries = new Entries();
  for (let at = 0; at < 1000; at++) entries.push(entry(at));
  for (let at = 999; at >= 0; at--) {
    expect(entries.length).toBe(at + 1);
    expect(plain(entries.last!)).toEqual(plain(entry(at)));
    entries.pop();
  }
  expect([entries.length, entries.last]).toEqual([0, undefined]);
});

test('what the server does not have keeps its identity, however much comes after it', () => {
  const entries = new Entries();
  const waiting = { ...entry(0).edits[0]!, acknowledged: false };
  entries.push({ ...entry(0), edits: [waiting] });
  for (let at = 1; at < 1000; at++) entries.push(entry(at));
  entries.leaveOut(waiting);
  expect(entries.length).toBe(999);
});

test('packed entries are rewritten where they name a key', () => {
  const entries = new Entries();
  for (let at = 0; at < 400; at++) entries.push(entry(at));
  let asked = 0;
  entries.rewrite(['lyr_17'], (operations) => {
    asked++;
    return operations.map((one) => (one.op === 'set' && one.node === 'lyr_17' ? { ...one, node: 'lyr_new' } : one));
  });
  expect(asked).toBeLessThan(400);
  const nodes: string[] = [];
  for (; entries.last; entries.pop())
    for (const one of entries.last.edits[0]!.inverse) if (one.op === 'set') nodes.push(one.node);
  expect(nodes[400 - 1 - 17]).toBe('lyr_new');
  expect(nodes).not.toContain('lyr_17');
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('1,500 steps that the server has are all undone and done again', async () => {
  const network = new TestNetwork(small);
  const { editor } = await network.open('Anna');
  const first = canonical(editor.document.flow);
  const random = new Random(7);
  const pass = async () => {
    await vi.advanceTimersByTimeAsync(200);
    await settle();
    network.stream();
  };
  const all = async (act: () => boolean) => {
    for (let at = 1; act(); at++) if (at % 50 === 0) await pass();
    await pass();
  };
  await all(() => {
    editor.runStep(random.step(editor.document));
    return editor.steps < 1500;
  });
  const last = canonical(editor.document.flow);
  const kept: string[] = [];
  const back = (act: 'undo' | 'redo') => () => {
    const done = editor[act]();
    if (done.is === 'done') kept.push(...done.kept);
    return done.is === 'done';
  };
  await all(back('undo'));
  expect(canonical(editor.document.flow)).toBe(first);
  expect(editor.steps).toBe(0);
  await all(back('redo'));
  expect(canonical(editor.document.flow)).toBe(last);
  expect(editor.steps).toBe(1500);
  expect(kept).toEqual([]);
}, 60_000);
