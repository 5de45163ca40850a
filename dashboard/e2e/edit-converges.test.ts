import { afterAll, beforeAll, expect, test } from 'vitest';
import { apply } from '../src/editor/document/apply';
import { type Document, type Flow, open } from '../src/editor/document/document';
import { isRefusal, type Operation } from '../src/editor/document/operation';
import { runAny } from '../src/editor/document/TestCommands';
import { Random, small } from '../src/editor/document/TestRandom';
import { beBrowser, bytesOf, enterAll, Journal, Person, stepsOf } from './editors';
import type { Fault } from './proxy';
import { type Server, serve } from './server';

/** How long people edit at random, in seconds, by two and by five: `make test-editing` says 600. */
const seconds = Number(process.env.E2E_EDITING_SECONDS ?? 7);
const begun = Number(process.env.E2E_EDITING_SEED ?? 1);

const names = ['Anna', 'Ben', 'Cleo', 'Dora', 'Emil'];
let server: Server;
let sessions: string[];

beforeAll(async () => {
  beBrowser();
  server = await serve({}, 'none');
  sessions = await enterAll(server, names);
});
afterAll(() => server?.stop());

type Read = { draft: { revision: number; document: Flow } };
const readDraft = (flow: string) =>
  server.ask<Read>('query ($f: ID!) { draft(flowId: $f) { revision document } }', { f: flow });

const faults: readonly Fault[] = ['none', 'none', 'none', 'slow', 'cut', 'half', 'page', 'busy'];

function insertion(random: Random, document: Document): Operation {
  for (;;) {
    const operation = random.operation(document);
    if (operation.op === 'insert') return operation;
  }
}

/** Steps, commands, undo, and every fault that a connection has, until the time is over. */
async function live(person: Person, random: Random, until: number, count: { steps: number; deaths: number }) {
  let turn = 0;
  while (Date.now() < until) {
    const { editor } = person.session;
    person.act(() => {
      const act = random.below(20);
      // One that only grows is slow to look through, and one that only shrinks has nothing to disagree about.
      if (editor.document.layers > 250)
        editor.runStep({ name: '', operations: [{ op: 'remove', node: random.anyNode(editor.document) }] });
      else if (editor.document.layers < 25)
        editor.runStep({ name: '', operations: [insertion(random, editor.document)] });
      else if (act < 8) editor.runStep(random.step(editor.document), { gesture: random.below(4) ? undefined : 'drag' });
      else if (act < 16) runAny(editor, random);
      else if (act < 18) editor.undo({ anyway: random.below(2) === 0 });
      else editor.redo({ anyway: true });
    });
    count.steps++;
    if (Date.now() > turn) {
      turn = Date.now() + 200 + random.below(1500);
      person.proxy.fault = random.pick(faults);
      if (random.below(3) === 0) person.proxy.break();
      if (person.proxy.fault === 'none' && random.below(2)) person.act(() => person.session.sync.retry());
      if (random.below(20) === 0) {
        count.deaths++;
        person.die();
        person.proxy.fault = 'none';
        await person.open();
      }
    }
    await new Promise((later) => setTimeout(later, random.below(10) ? 20 + random.below(150) : 600));
  }
}

test.each([2, 5])(
  '%i people edit one flow over connections that are cut: all have what the server has, and all that was acknowledged',
  { timeout: (seconds + 180) * 1000 },
  async (people) => {
    const { createFlow } = await server.ask<{ createFlow: { id: string } }>(
      'mutation ($a: ID!) { createFlow(input: {appId: $a, name: "Together"}) { id } }',
      { a: server.apps[0]!.id },
    );
    const flow = createFlow.id;
    // It is no valid flow, which a draft need not be.
    await server.ask(
      'mutation ($f: ID!, $m: JSON!) { saveDraft(input: {flowId: $f, draft: $m, revision: 1}) { flow { id } } }',
      {
        f: flow,
        m: small,
      },
    );
    const first = (await readDraft(flow)).draft;
    const journal = new Journal(server, flow, sessions[0]!, first.revision);
    const everybody = names.slice(0, people).map((name, i) => new Person(name, server, flow, sessions[i]!));
    for (const person of everybody) await person.open();

    const count = { steps: 0, deaths: 0 };
    const until = Date.now() + seconds * 1000;
    await Promise.all(
      everybody.map((person, i) => live(person, new Random(begun * 100 + people * 10 + i), until, count)),
    );

    for (const person of everybody) person.proxy.fault = 'none';
    await expect
      .poll(
        async () => {
          const { revision } = (await readDraft(flow)).draft;
          const states = everybody.map(
            ({ name, session: { editor, sync } }) => `${name}: ${editor.saveState} at ${sync.revision - revision}`,
          );
          for (const person of everybody)
            if (person.session.editor.saveState !== 'saved') person.act(() => person.session.sync.retry());
          return [...states, `journal: at ${journal.last - revision}`];
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual([...everybody.map(({ name }) => `${name}: saved at 0`), 'journal: at 0']);

    // Everybody has the server's document, to the byte, and so has who applies what the stream told to the first one.
    const { document, revision } = (await readDraft(flow)).draft;
    const bytes = bytesOf(document);
    for (const { name, session } of everybody)
      expect(bytesOf(session.editor.document.flow) === bytes, `what ${name} sees is what the server has`).toBe(true);
    let replayed = open(first.document);
    for (const step of journal.edits.flatMap(({ steps }) => steps)) {
      const done = apply(replayed, step);
      if (isRefusal(done)) throw new Error(`the stream told a step that is refused: ${JSON.stringify([step, done])}`);
      replayed = done.document;
    }
    expect(bytesOf(replayed.flow) === bytes, 'the edits of the stream make what the server has').toBe(true);

    // Each batch that was acknowledged is there once, as it was acknowledged, and there are no others.
    expect(journal.edits.map((edit) => edit.revision)).toEqual(
      Array.from({ length: revision - first.revision }, (_, i) => first.revision + 1 + i),
    );
    const kept = new Map(journal.edits.map((edit) => [`${edit.client} ${edit.sequence}`, edit]));
    expect(kept.size).toBe(journal.edits.length);
    let applied = 0;
    let refused = 0;
    for (const { name, acknowledged } of everybody)
      for (const { batch, answer } of acknowledged) {
        const edit = kept.get(`${batch.client} ${batch.sequence}`);
        const steps = answer.outcomes.flatMap((outcome) => ('step' in outcome ? [outcome.step] : []));
        expect(edit, `${name} was told that ${batch.client} ${batch.sequence} is kept`).toBeDefined();
        expect([edit!.revision, edit!.person, stepsOf(edit!.steps)]).toEqual([answer.revision, name, stepsOf(steps)]);
        applied += steps.length;
        refused += answer.outcomes.length - steps.length;
      }
    const lost = everybody.reduce((sum, person) => sum + person.lost, 0);
    console.log(
      `${people} people, ${seconds} s: ${count.steps} acts, ${journal.edits.length} batches, ${applied} steps ` +
        `acknowledged and ${refused} refused, ${lost} requests or answers lost, ${count.deaths} tabs killed, ` +
        `${bytes.length} bytes at all`,
    );
    expect(applied).toBeGreaterThan((seconds * people) / 2);
    expect(lost).toBeGreaterThan(seconds / 4);
    journal.stop();
    for (const person of everybody) person.close();
  },
);
