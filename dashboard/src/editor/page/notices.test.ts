import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Flow } from '../document/document';
import type { Json } from '../document/operation';
import { TestEditor } from '../document/TestEditor';
import { settle, TestNetwork } from '../document/TestNetwork';
import { lostNotice, refusalNotices, stopNotice, undoNotice } from './notices';

const text = (id: string, words: string) => ({ id, kind: 'text', text: { default: words } });
const stack = (id: string, name: string, children: readonly Json[]) => ({ id, name, kind: 'stack', children });
const card = stack('lyr_card', 'Card', [text('lyr_name', 'Name'), text('lyr_note', 'Note')]);
const flow: Flow = {
  screens: [
    { id: 'scr_1', name: 'Goal', regions: { body: stack('lyr_body', 'Body', [card, text('lyr_t', 'Title')]) } },
  ],
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function pass(network: TestNetwork) {
  for (let at = 0; at < 600; at += 50) {
    await vi.advanceTimersByTimeAsync(50);
    await settle();
    network.stream();
  }
}

test('several edits of what Anna removed are one notice, and come back with it as one undo', async () => {
  const network = new TestNetwork(flow);
  const anna = new TestEditor((await network.open('Anna')).editor).open();
  const { editor } = await network.open('Ben');
  const ben = new TestEditor(editor).open();
  network.pause('Ben');
  ben.set('Title', ['note'], 1);
  await pass(network);
  ben.set('Name', ['text', 'default'], 'Nick').set('Note', ['text', 'default'], 'Read me').set('Card', ['gap'], 4);
  anna.click('Card').step({ op: 'remove', node: 'lyr_card' });
  await pass(network);
  await network.deliver('Ben');
  await pass(network);
  const say = vi.fn();
  const notices = refusalNotices(editor, say);
  expect(notices).toMatchObject([
    {
      says: '“Card” was removed by Anna.',
      detail: 'Not applied: Change the text of “Name”; Change the text of “Note”; Change the gap of “Card”.',
      act: { label: 'Bring back “Card”' },
    },
  ]);
  notices[0]!.act!.run();
  expect(say).toHaveBeenCalledWith(true);
  expect(refusalNotices(editor, say)).toEqual([]);
  expect(ben.outline()).toEqual(['Body', '  Card', '    Nick', '    Read me', '  Title']);
  expect(editor.object('lyr_card')).toMatchObject({ gap: 4 });
  ben.undo();
  expect(ben.outline()).toEqual(['Body', '  Title']);
  await pass(network);
  expect(anna.outline()).toEqual(['Body', '  Title']);
});

test('a step that nothing brings back says why, and can be dismissed', () => {
  const page = TestEditor.open(flow);
  const { editor } = page;
  for (let tick = 0; tick < 3; tick++) {
    const step = { name: 'Move “Card”', operations: [] };
    editor.refuse({ step, inverse: [], sent: true, acknowledged: false, seen: 0 }, { code: 'cycle', node: 'lyr_card' });
  }
  const notices = refusalNotices(editor, () => {});
  expect(notices).toMatchObject([{ says: "“Card” can't go inside itself.", detail: 'Not applied: Move “Card”.' }]);
  expect(notices[0]).not.toHaveProperty('act');
  notices[0]!.dismiss!();
  expect(refusalNotices(editor, () => {})).toEqual([]);
});

test('undo asks before it takes work of others away, and says what it left', () => {
  const [again, dismiss] = [vi.fn(), vi.fn()];
  const question = 'Ben changed 1 layer in “Card”. Remove anyway?';
  const asks = undoNotice('undo', { is: 'asks', name: 'Add', question, act: 'Remove' }, again, dismiss);
  expect(asks).toMatchObject({ says: question, act: { label: 'Remove' } });
  asks!.act!.run();
  expect(again).toHaveBeenCalledOnce();
  const kept = ['Ben changed “Title” since', 'Ben changed “Title” since', 'Ben moved “Card” since'];
  expect(undoNotice('undo', { is: 'done', name: 'Add', kept }, again, dismiss)?.says).toBe(
    'Left as it is: Ben changed “Title” since; Ben moved “Card” since.',
  );
  expect(undoNotice('redo', { is: 'done', name: 'Add', kept: [] }, again, dismiss)).toBeUndefined();
  expect(undoNotice('undo', { is: 'nothing' }, again, dismiss)).toBeUndefined();
});

test('what a closed tab had left is named, the first three of it', () => {
  expect(lostNotice([], () => {})).toBeUndefined();
  expect(lostNotice(['A'], () => {})).toMatchObject({
    says: 'A change of a closed tab could not be applied.',
    detail: 'A.',
  });
  expect(lostNotice(['A', 'B', 'C', 'D'], () => {})).toMatchObject({
    says: '4 changes of a closed tab could not be applied.',
    detail: 'A; B; C and 1 more.',
  });
});

test('why the server takes nothing is said with where the edits are, as long as it is so', () => {
  const { editor } = TestEditor.open(flow);
  const again = vi.fn();
  expect(stopNotice(editor, again)).toBeUndefined();
  for (const code of ['unauthenticated', 'forbidden', 'conflict', 'not_found']) {
    editor.report('stopped', code);
    expect(stopNotice(editor, again)).toMatchObject({
      says: expect.stringMatching(/^(You are|Your role|The flow) .+\.$/),
      detail: 'What you changed is kept in this browser.',
    });
  }
  editor.reportKept(false);
  expect(stopNotice(editor, again)).toMatchObject({ detail: 'What you changed is in this tab only.' });
  expect(stopNotice(editor, again)).not.toHaveProperty('dismiss');
  stopNotice(editor, again)!.act!.run();
  expect(again).toHaveBeenCalledOnce();
  editor.report('saving');
  expect(stopNotice(editor, again)).toBeUndefined();
});
