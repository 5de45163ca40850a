import { describe, expect, test, vi } from 'vitest';
import type { Flow } from '../document/document';
import { Editor } from '../document/editor';
import type { Operation } from '../document/operation';
import { compare, sentenceOf } from './compare';
import { restore } from './restore';

const screen = (id: string, name: string, text = 'Hello') => ({
  id: `scr_${id}`,
  name,
  regions: {
    body: {
      id: `lyr_${id}`,
      kind: 'stack',
      children: [{ id: `lyr_${id}_text`, kind: 'text', text: { default: text } }],
    },
  },
});
const flow = (...screens: object[]) => ({ entryScreenId: 'scr_a', screens }) as unknown as Flow;

describe('what differs from now', () => {
  test('is said by the names of screens, those that differ first', () => {
    const then = flow(screen('a', 'Welcome'), screen('b', 'Goal', 'Old'), screen('c', 'Gone'));
    const now = flow(screen('a', 'Welcome'), screen('b', 'Goal', 'New'), screen('d', 'Later'));
    const found = compare(then, now);
    expect(found.screens.map(({ name }) => name)).toEqual(['Goal', 'Gone', 'Welcome']);
    expect(sentenceOf(found)).toBe('“Goal” differs from now; “Gone” is not there now; “Later” was not there yet.');
  });

  test('is nothing when only the order of members does', () => {
    const then = flow(screen('a', 'Welcome'));
    const { name, ...rest } = screen('a', 'Welcome');
    expect(sentenceOf(compare(then, flow({ ...rest, name })))).toBe('Every screen looks as it does now.');
  });

  test('names four of many', () => {
    const then = flow(...'abcdef'.split('').map((id) => screen(id, id.toUpperCase())));
    expect(sentenceOf(compare(then, flow()))).toBe('“A”, “B”, “C”, “D” and 2 more are not there now.');
  });
});

describe('a state is restored', () => {
  const back: Operation[] = [{ op: 'set', node: 'lyr_a_text', path: ['text', 'default'], value: 'Before' }];
  const opened = () => Editor.open(flow(screen('a', 'Welcome', 'After')));
  const text = (editor: Editor) => JSON.stringify(editor.document.flow).match(/"default":"(\w+)"/)![1];

  test('by one step with a name, which undo takes back', async () => {
    const editor = opened();
    expect(await restore(editor, 'Go back to 14:05', async () => back)).toBe(true);
    expect(text(editor)).toBe('Before');
    expect(editor.canUndo).toBe('Go back to 14:05');
    editor.undo();
    expect(text(editor)).toBe('After');
  });

  test('once what was edited here is at the server, and not before', async () => {
    const editor = opened();
    editor.report('saving');
    const read = vi.fn(async () => back);
    const restored = restore(editor, 'Go back', read);
    await Promise.resolve();
    expect(read).not.toHaveBeenCalled();
    editor.report('saved');
    expect(await restored).toBe(true);
  });

  test('not while edits do not reach the server', async () => {
    vi.useFakeTimers();
    const editor = opened();
    editor.report('offline');
    const restored = restore(editor, 'Go back', async () => back);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await restored).toBe('Your last changes are not saved yet');
    vi.useRealTimers();
  });

  test('whole or not at all', async () => {
    const editor = opened();
    const gone: Operation = { op: 'remove', node: 'lyr_gone' };
    const said = await restore(editor, 'Go back', async () => [...back, gone]);
    expect(said).toBe('Another member changed the flow just now. Try again');
    expect(text(editor)).toBe('After');
    expect(await restore(editor, 'Go back', async () => [])).toBe('The flow is like this already');
  });
});
