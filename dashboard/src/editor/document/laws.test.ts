import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { canonical } from './canonical';
import { kindsToInsert } from './commands/defaults';
import { insert } from './commands/insert';
import { addScreen } from './commands/screens';
import { type Flow, open } from './document';
import { Editor } from './editor';
import type { Json, Step } from './operation';
import { runAny } from './TestCommands';
import { Random, small } from './TestRandom';

const examples = new URL('../../../../manifest/examples/', import.meta.url);
const drafts: Record<string, Flow> = { small };
for (const name of readdirSync(examples).filter((one) => one.endsWith('.json')))
  drafts[name] = JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as Flow;

/** Opens a draft; ids are new_1, new_2 and so on. */
function edit(flow: Flow): Editor {
  let made = 0;
  return Editor.open(structuredClone(flow), (prefix) => `${prefix}_new_${++made}`);
}

/** How often each command ran, and said why not. */
const says = new Map<string, { ran: number; refused: number }>();

describe.each(Object.entries(drafts))('%s', (_, draft) => {
  test('undoing all of thousands of steps and commands gives the first draft, redoing all the last', () => {
    const editor = edit(draft);
    const random = new Random(1);
    let done = 0;
    const same = (flow: Flow) => canonical(editor.document.flow) === canonical(flow);
    const reset = () => {
      while (editor.canRedo !== undefined) editor.redo();
      const last = editor.document.flow;
      const fresh = open(editor.document.flow);
      expect([...editor.document.parents].sort()).toEqual([...fresh.parents].sort());
      expect([editor.document.layers, editor.document.screens]).toEqual([fresh.layers, fresh.screens]);
      while (editor.canUndo !== undefined) expect(editor.undo()).toMatchObject({ is: 'done', kept: [] });
      expect(same(draft)).toBe(true);
      while (editor.canRedo !== undefined) expect(editor.redo()).toMatchObject({ is: 'done', kept: [] });
      expect(same(last)).toBe(true);
      while (editor.canUndo !== undefined) editor.undo();
    };
    for (let i = 0; i < 2000; i++) {
      if (random.below(2)) {
        const { id, said } = runAny(editor, random);
        const count = says.get(id) ?? { ran: 0, refused: 0 };
        says.set(id, said === true ? { ...count, ran: count.ran + 1 } : { ...count, refused: count.refused + 1 });
        if (said === true) done++;
      } else {
        const gesture = random.below(3) === 0 ? `gesture ${random.below(3)}` : undefined;
        if (editor.runStep(random.step(editor.document), { gesture }) === true) done++;
      }
      if (random.below(20) === 0) editor.undo();
      if (random.below(30) === 0) editor.redo();
      // A document that only grows would say little about the rest.
      if (i % 100 === 99) reset();
    }
    expect(done).toBeGreaterThan(700);
  }, 120_000);
});

test('undoing all of 10,000 random operations gives the first draft, byte for byte', () => {
  const editor = edit(small);
  const random = new Random(27);
  let done = 0;
  for (let steps = 0; done < 10_000; steps++) {
    const { operations } = random.step(editor.document);
    if (editor.runStep({ name: 'random', operations }) === true) done += operations.length;
    expect(steps).toBeLessThan(100_000);
  }
  const last = canonical(editor.document.flow);
  expect(last).not.toBe(canonical(small));
  while (editor.canUndo !== undefined) expect(editor.undo()).toMatchObject({ is: 'done', kept: [] });
  expect(canonical(editor.document.flow)).toBe(canonical(small));
  while (editor.canRedo !== undefined) editor.redo();
  expect(canonical(editor.document.flow)).toBe(last);
}, 60_000);

test('every command ran', () => {
  for (const [id, { ran }] of says) expect(ran > 0 ? id : `${id} never ran`).toBe(id);
  expect(says.size).toBe(29);
});

type Case = { name: string; base: string; log: Step[]; result: string; valid: boolean };

/** Runs commands by seed, and returns the steps that they made, undone and done again too. */
function record(name: string, base: string, act: (editor: Editor) => void, valid: boolean): Case {
  const editor = edit(drafts[base]!);
  const log: Step[] = [];
  editor.onEdit = (one) => log.push(JSON.parse(JSON.stringify(one.step)) as Step);
  act(editor);
  return { name, base, log, result: canonical(editor.document.flow), valid };
}

/** manifest/edit/commands_test.go runs these steps and must come to the same bytes; of a valid draft, a valid one. */
test('testdata/commands.json has what the commands make (UPDATE_VECTORS=1 writes it)', () => {
  const cases: Case[] = [];
  for (const base of ['small', 'linear-onboarding.json', 'paywall-flow.json'])
    for (let seed = 0; seed < 12; seed++)
      cases.push(
        record(
          `${base} ${seed}`,
          base,
          (editor) => {
            const random = new Random(seed);
            for (let i = 0; i < 12; i++) {
              runAny(editor, random);
              if (random.below(8) === 0) editor.undo();
              if (random.below(8) === 0) editor.redo();
            }
          },
          false,
        ),
      );
  cases.push(
    record(
      'a screen for every kind',
      'linear-onboarding.json',
      (editor) => {
        editor.select({ screen: 'scr_welcome' });
        for (const kind of kindsToInsert) {
          const before = editor.selection.screen!;
          editor.run(addScreen, { after: before });
          if (editor.run(insert, { kind }) !== true) editor.undo(); // a part of another kind, which brings it with it
        }
      },
      true,
    ),
  );
  const text = `${canonical({ bases: { small }, cases } as unknown as Json)}\n`;
  const file = new URL('../../../../manifest/edit/testdata/commands.json', import.meta.url);
  if (process.env.UPDATE_VECTORS) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8') === text).toBe(true);
}, 60_000);
