import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { apply } from './apply';
import { canonical } from './canonical';
import { isRefusal, type Operation, type Step } from './operation';
import { take } from './pending';
import { settle, TestNetwork, type TestTab } from './TestNetwork';
import { Random, small } from './TestRandom';
import { type Batch, Undelivered } from './transport';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function pass(network: TestNetwork, milliseconds: number, tick = 50) {
  for (let at = 0; at < milliseconds; at += tick) {
    await vi.advanceTimersByTimeAsync(tick);
    await settle();
    network.stream();
  }
}

const note = (value: number, node = 'lyr_title'): Step => ({
  name: `Note ${value}`,
  operations: [{ op: 'set', node, path: ['note'], value }],
});

function expectAgreement(network: TestNetwork, tabs: readonly TestTab[]) {
  const bytes = canonical(network.server.document.flow);
  for (const { editor, sync } of tabs) {
    expect(canonical(editor.document.flow)).toBe(bytes);
    expect(editor.saveState).toBe('saved');
    expect(sync.revision).toBe(network.server.revision);
  }
}

test.each(Array.from({ length: 100 }, (_, seed) => seed))(
  'three clients with late, repeated, lost and failing answers agree (%i)',
  async (seed) => {
    const random = new Random(seed);
    const network = new TestNetwork(small);
    const people = ['Anna', 'Ben', 'Cleo'];
    const tabs: TestTab[] = [];
    for (const person of people) tabs.push(await network.open(person));
    for (let round = 0; round < 60; round++) {
      const i = random.below(3);
      const { editor } = tabs[i]!;
      if (random.below(4) === 0) network.fail = undefined;
      const act = random.below(12);
      if (act === 10) tabs[i]!.sync.retry();
      else if (act === 11) {
        const failure = random.pick([
          undefined,
          new Error('no network'),
          new Undelivered('rate_limited', '', 1),
          new Undelivered('unauthenticated', ''),
        ]);
        network.fail = () => failure;
        network.failsToRead = random.below(3) === 0 ? new Error('no network') : undefined;
      } else if (act < 6)
        editor.runStep(random.step(editor.document), { gesture: random.below(4) ? undefined : 'drag' });
      else if (act === 6) editor.undo({ anyway: random.below(2) === 0 });
      else if (act === 7) editor.redo({ anyway: true });
      else if (act === 8) random.below(2) ? network.pause(people[i]!) : network.hold(people[i]!);
      else await (random.below(3) ? network.deliver(people[i]!) : network.drop(people[i]!));
      if (random.below(3) === 0) await pass(network, 50 * random.below(6));
      if (random.below(25) === 0 && seed % 2) network.server.replace(structuredClone(network.server.document.flow));
      if (random.below(25) === 0) {
        tabs[i]!.kill();
        await network.drop(people[i]!);
        network.failsToRead = undefined; // it could not be opened
        tabs[i] = await network.open(people[i]!);
      }
    }
    network.fail = undefined;
    network.failsToRead = undefined;
    await network.deliver(...people);
    for (const { editor, sync } of tabs) if (editor.stoppedBy) sync.retry(); // as who comes back to the tab does
    await pass(network, 40_000, 4000); // longer than it waits between two tries
    if (seed % 2 === 0) expectAgreement(network, tabs);
    // What was replaced as a whole is seen at the next edit.
    for (const { editor } of tabs) editor.runStep(note(random.below(1000), 'flow'));
    await pass(network, 2000);
    expectAgreement(network, tabs);
    expect(network.server.batches).toBeGreaterThan(5); // three are those of the end
  },
  60_000,
);

test('an unreachable server is tried again ever more seldom, and at once when asked', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  let tries = 0;
  network.fail = () => {
    tries++;
    return new Error('no network');
  };
  tab.editor.runStep(note(1));
  expect(tab.editor.saveState).toBe('saving');
  await pass(network, 900);
  expect([tries, tab.editor.saveState]).toEqual([1, 'offline']);
  tab.editor.runStep(note(2));
  await pass(network, 7000);
  expect(tries).toBe(4); // after 1, 2 and 4 s
  network.fail = undefined;
  tab.sync.retry();
  await settle();
  await pass(network, 500);
  expectAgreement(network, [tab]);
  expect(network.server.log.flatMap((edit) => edit.steps)).toHaveLength(2);
});

test('a batch that is tried again while it is under way is under way once', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  const failed: number[] = [];
  const fail = ({ sequence }: Batch) => {
    failed.push(sequence);
    return new Error('no network');
  };
  network.fail = fail;
  network.pause('Anna');
  tab.editor.runStep(note(1));
  await pass(network, 200);
  tab.sync.retry();
  await network.deliver('Anna');
  expect(failed).toEqual([1]);
  network.fail = undefined;
  tab.sync.retry();
  await pass(network, 500);

  // No late try of the first batch takes the place of the second.
  network.pause('Anna');
  tab.editor.runStep(note(2));
  await pass(network, 3000);
  network.fail = fail;
  await network.deliver('Anna');
  expect(failed).toEqual([1, 2]);
  network.fail = undefined;
  await pass(network, 10_000);
  expectAgreement(network, [tab]);
  expect(network.server.log.flatMap(({ steps }) => steps)).toEqual([note(1), note(2)]);
});

test('what another renamed while an edit was under way is what its author sees', async () => {
  const network = new TestNetwork(small);
  const [anna, ben] = [await network.open('Anna'), await network.open('Ben')];
  network.hold('Anna');
  const value = { kind: 'field', fieldKey: 'goal' };
  anna.editor.runStep({ name: 'Ask', operations: [{ op: 'set', node: 'lyr_title', path: ['variable'], value }] });
  await pass(network, 200);
  ben.editor.runStep({ name: 'Rename', operations: [{ op: 'rename', key: 'field', from: 'goal', to: 'aim' }] });
  await pass(network, 500);
  expect(anna.sync.revision).toBe(network.server.revision);
  await network.deliver('Anna');
  await pass(network, 500);
  expectAgreement(network, [anna, ben]);
  expect(anna.editor.object('lyr_title')).toMatchObject({ variable: { fieldKey: 'aim' } });
});

test('what another made impossible before it was sent is not said to be on its way', async () => {
  const network = new TestNetwork(small);
  const [anna, ben] = [await network.open('Anna'), await network.open('Ben')];
  anna.editor.runStep(note(1));
  await pass(network, 500);
  ben.editor.runStep({ name: 'Remove', operations: [{ op: 'remove', node: 'lyr_title' }] });
  await vi.advanceTimersByTimeAsync(0);
  await settle();
  anna.editor.runStep(note(2));
  network.stream();
  expect(anna.editor.refused).toHaveLength(1);
  await pass(network, 500);
  expectAgreement(network, [anna, ben]);
});

test('what has to be read anew and can not be is not said to be saved', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  network.failsToRead = new Error('no network');
  void tab.sync.reread();
  await pass(network, 100);
  tab.editor.runStep(note(1));
  await pass(network, 500);
  expect(tab.editor.saveState).not.toBe('saved');
  network.failsToRead = undefined;
  tab.sync.retry();
  await pass(network, 500);
  expectAgreement(network, [tab]);
});

test.each(['client_reused', 'sequence_gap'])('a series that the server answers with %s is begun anew', async (code) => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  const { client } = tab.sync;
  tab.editor.runStep(note(1));
  await pass(network, 200);
  network.fail = (batch) => (batch.client === client ? new Undelivered(code, '') : undefined);
  tab.editor.runStep(note(2));
  await pass(network, 500);
  expect(tab.sync.client).not.toBe(client);
  expectAgreement(network, [tab]);
  tab.editor.runStep(note(3));
  await pass(network, 500);
  expectAgreement(network, [tab]);
  expect(network.server.log.map((edit) => edit.sequence)).toEqual([1, 1, 2]);
});

test('too many batches wait as long as the server says', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  network.fail = () => new Undelivered('rate_limited', '', 3);
  tab.editor.runStep(note(1));
  await pass(network, 200);
  network.fail = undefined;
  await pass(network, 2500);
  expect(network.server.batches).toBe(0);
  expect(tab.editor.saveState).toBe('saving');
  await pass(network, 600);
  expectAgreement(network, [tab]);
});

test('of a batch that the server can not read, only the step at fault is lost', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  network.fail = (batch) =>
    batch.steps.some((step) => step.name === 'Note 2') ? new Undelivered('invalid_input', '') : undefined;
  for (const value of [1, 2, 3])
    tab.editor.runStep({
      ...note(value),
      operations: note(value, ['lyr_title', 'lyr_goal', 'scr_2'][value - 1]).operations,
    });
  await pass(network, 2000);
  expectAgreement(network, [tab]);
  expect(network.server.log.flatMap((edit) => edit.steps.map((step) => step.name))).toEqual(['Note 1', 'Note 3']);
  expect(tab.editor.refused.map(({ step }) => step.name)).toEqual(['Note 2']);
});

test('what may not be saved stays in the browser', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  network.fail = () => new Undelivered('conflict', 'the flow is archived');
  tab.editor.runStep(note(1));
  await pass(network, 60_000);
  expect(tab.editor.saveState).toBe('stopped');
  network.fail = undefined;
  tab.kill();
  const again = await network.open('Anna');
  expect(again.editor.object('lyr_title')).toMatchObject({ note: 1 });
});

test('who is signed out is not said to be offline, and what they did meanwhile arrives once they are back', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  network.fail = () => new Undelivered('unauthenticated', 'sign in');
  network.failsToRead = new Undelivered('unauthenticated', 'sign in');
  tab.editor.runStep(note(1));
  await pass(network, 1_000);
  tab.editor.runStep(note(2, 'lyr_goal'));
  void tab.sync.reread(); // as the stream does that is refused, too
  await pass(network, 60_000);
  expect([tab.editor.saveState, tab.editor.stoppedBy]).toEqual(['stopped', 'unauthenticated']);
  network.fail = undefined;
  network.failsToRead = undefined;
  await pass(network, 31_000);
  expectAgreement(network, [tab]);
  expect(tab.editor.stoppedBy).toBeUndefined();
  expect(tab.editor.object('lyr_title')).toMatchObject({ note: 1 });
  expect(tab.editor.object('lyr_goal')).toMatchObject({ note: 2 });
});

test('a browser that keeps nothing says so, and says when it does again', async () => {
  const network = new TestNetwork(small);
  const { editor } = await network.open('Anna');
  network.isFull = true;
  editor.runStep(note(1));
  await pass(network, 400);
  expect([editor.saveState, editor.isKept]).toEqual(['saved', false]);
  network.isFull = false;
  editor.runStep(note(2));
  await pass(network, 400);
  expect(editor.isKept).toBe(true);
});

test('a clock that is set back by an hour holds nothing up', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  tab.editor.runStep(note(1));
  await pass(network, 400);
  vi.setSystemTime(Date.now() - 3_600_000);
  tab.editor.runStep(note(2));
  await pass(network, 400);
  expectAgreement(network, [tab]);
});

test('closing sends what is not sent yet', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  tab.editor.runStep(note(1));
  await pass(network, 50);
  tab.editor.runStep(note(2));
  await tab.sync.close();
  expect(network.server.document.flow).toEqual(tab.editor.document.flow);
  await pass(network, 1000);
  expect(network.server.log.flatMap((edit) => edit.steps)).toHaveLength(2);
});

test('what could not be sent at closing is sent by the next open of the same tab', async () => {
  const network = new TestNetwork(small);
  const tab = await network.open('Anna');
  network.fail = () => new Error('no network');
  tab.editor.runStep(note(1));
  await pass(network, 200);
  tab.editor.runStep(note(2, 'lyr_goal'));
  await tab.sync.close();
  await pass(network, 5000);
  network.fail = undefined;
  const again = await network.open('Anna');
  expect(again.lost).toEqual([]);
  expect(again.editor.object('lyr_title')).toMatchObject({ note: 1 });
  expect(again.editor.object('lyr_goal')).toMatchObject({ note: 2 });
  expect(network.server.batches).toBe(2);
});

test('undo leaves what others changed since, and asks before it removes their work', async () => {
  const network = new TestNetwork(small);
  const [anna, ben] = [(await network.open('Anna')).editor, (await network.open('Ben')).editor];
  anna.runStep({ name: 'Two', operations: [...note(1).operations, ...note(1, 'lyr_goal').operations] });
  const card = { id: 'lyr_card', kind: 'stack', name: 'Card', children: [] };
  const insert: Operation = {
    op: 'insert',
    parent: 'lyr_body',
    slot: 'children',
    subtree: card,
    after: null,
    before: null,
  };
  anna.runStep({ name: 'Add', operations: [insert] });
  await pass(network, 400);
  ben.runStep(note(2));
  ben.runStep({ name: '', operations: [{ ...insert, parent: 'lyr_card', subtree: { id: 'lyr_in', kind: 'text' } }] });
  await pass(network, 400);
  expect(anna.undo()).toEqual({
    is: 'asks',
    name: 'Add',
    question: 'Ben changed 1 layer in “Card”. Remove anyway?',
    act: 'Remove',
  });
  expect(anna.object('lyr_in')).toBeDefined();
  expect(anna.undo({ anyway: true })).toMatchObject({ is: 'done' });
  expect(anna.undo()).toEqual({ is: 'done', name: 'Two', kept: ['Ben changed “Your goal” since'] });
  expect(anna.object('lyr_title')).toMatchObject({ note: 2 });
  expect(anna.object('lyr_goal')).not.toHaveProperty('note');
});

test('undo of a removal offers to bring back first what it stood in', async () => {
  const network = new TestNetwork(small);
  const tabs = [await network.open('Anna'), await network.open('Ben')] as const;
  const [anna, ben] = [tabs[0].editor, tabs[1].editor];
  anna.runStep({ name: '', operations: [{ op: 'remove', node: 'lyr_hello' }] });
  await pass(network, 400);
  ben.runStep({ name: '', operations: [{ op: 'remove', node: 'scr_2' }] });
  await pass(network, 400);
  expect(anna.undo()).toMatchObject({
    is: 'asks',
    question: '“Plan” was removed by Ben. Bring it back first?',
    act: 'Bring back',
  });
  anna.undo({ anyway: true });
  await pass(network, 400);
  expectAgreement(network, tabs);
  expect(canonical(anna.document.flow)).toBe(canonical(small));
});

test('a batch holds what the server takes, and one step at least', () => {
  const step = (operations: number, bytes = 0): Step => ({
    name: 'x'.repeat(bytes),
    operations: Array.from({ length: operations }, () => ({ op: 'remove', node: 'n' })),
  });
  expect(take([step(300), step(1)])).toBe(1);
  expect(take([step(100), step(100), step(1)])).toBe(2);
  expect(take([step(1, 200_000), step(1, 60_000), step(1, 9_000)])).toBe(2);
});

test('the random steps are applied about as often as they are refused', () => {
  const random = new Random(1);
  const outcomes = Array.from({ length: 400 }, () => isRefusal(apply(random.base, random.step(random.base))));
  const refused = outcomes.filter(Boolean).length;
  expect(refused).toBeGreaterThan(40);
  expect(refused).toBeLessThan(300);
});
