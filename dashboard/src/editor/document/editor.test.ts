import { describe, expect, test } from 'vitest';
import { canonical, find } from './canonical';
import { Editor } from './editor';
import type { Json, NodeId, Operation } from './operation';
import { small } from './TestRandom';

const write = (node: NodeId, value: Json, path = ['text', 'default']): Operation => ({ op: 'set', node, path, value });
const step = (...operations: Operation[]) => ({ name: '', operations });
const textOf = (editor: Editor, id: NodeId) => find(editor.object(id), ['text', 'default']);

/** Counts the calls of a listener of each node. */
function listen(editor: Editor, ...ids: NodeId[]) {
  const calls: Record<NodeId, number> = {};
  for (const id of ids) {
    calls[id] = 0;
    editor.subscribe(id, () => calls[id]!++);
  }
  return calls;
}

describe('listeners', () => {
  test('a change of a node reaches it and all around it, and nobody else', () => {
    const editor = Editor.open(small);
    const calls = listen(editor, 'lyr_title', 'lyr_body', 'scr_1', 'flow', 'lyr_goal', 'scr_2', 'dec_1', '*');
    editor.runStep(step(write('lyr_title', 'Hi')));
    expect(calls).toEqual({ lyr_title: 1, lyr_body: 1, scr_1: 1, flow: 1, lyr_goal: 0, scr_2: 0, dec_1: 0, '*': 1 });
    editor.select({ nodes: ['lyr_title'] });
    expect(calls).toMatchObject({ lyr_title: 1, '*': 2 });
  });

  test('a node that moves to another screen keeps its object; one that comes or goes is told', () => {
    const editor = Editor.open(small);
    const calls = listen(editor, 'lyr_goal', 'lyr_o1', 'lyr_head', 'lyr_title', 'lyr_goal/optionBindings/daily');
    const goal = editor.object('lyr_goal');
    const place = { parent: 'lyr_head', slot: 'children', after: null, before: null };
    editor.runStep(step({ op: 'move', node: 'lyr_goal', ...place }));
    expect(editor.object('lyr_goal')).toBe(goal);
    expect(calls).toMatchObject({ lyr_goal: 0, lyr_head: 1, lyr_title: 0 });
    editor.runStep(step({ op: 'remove', node: 'lyr_goal' }));
    expect(editor.object('lyr_o1')).toBeUndefined();
    expect(calls).toMatchObject({ lyr_goal: 1, lyr_o1: 1, 'lyr_goal/optionBindings/daily': 1, lyr_title: 0 });
    editor.undo();
    expect(calls).toMatchObject({ lyr_goal: 2, lyr_o1: 2, 'lyr_goal/optionBindings/daily': 2, lyr_title: 0 });
  });

  test('objects are always those of the document', () => {
    const editor = Editor.open(small);
    editor.runStep(step({ op: 'rename', key: 'option', owner: 'lyr_goal', from: 'daily', to: 'often' }));
    expect(editor.object('lyr_goal/optionBindings/often')).toEqual({ optionId: 'often', rootLayerId: 'lyr_o1' });
    expect(editor.object('lyr_goal/optionBindings/daily')).toBeUndefined();
  });
});

describe('selection', () => {
  test('nodes inside others of it, and what is not there, are left out', () => {
    const editor = Editor.open(small);
    editor.select({ nodes: ['lyr_o1', 'lyr_goal', 'lyr_missing', 'lyr_title', 'lyr_title'] });
    expect(editor.selection).toEqual({ screen: 'scr_1', nodes: ['lyr_goal', 'lyr_title'] });
    editor.runStep(step({ op: 'remove', node: 'lyr_title' }));
    expect(editor.selection).toEqual({ screen: 'scr_1', nodes: ['lyr_goal'] });
  });

  test('undo and redo restore it, and a click keeps redo', () => {
    const editor = Editor.open(small);
    editor.select({ nodes: ['lyr_title'] });
    editor.runStep(step({ op: 'remove', node: 'lyr_goal' }), { select: { screen: 'scr_1' } });
    editor.select({ nodes: ['lyr_hello'] });
    editor.undo();
    expect(editor.selection.nodes).toEqual(['lyr_title']);
    editor.select({ nodes: ['lyr_hello'] });
    expect(editor.canRedo).toBe('Remove single choice');
    editor.redo();
    expect(editor.selection).toEqual({ screen: 'scr_1', nodes: [] });
  });
});

describe('undo', () => {
  test('is named after the node as it was called then', () => {
    const editor = Editor.open(small);
    expect(editor.canUndo).toBeUndefined();
    expect(editor.undo()).toEqual({ is: 'nothing' });
    editor.runStep(step({ op: 'remove', node: 'lyr_title' }));
    expect(editor.canUndo).toBe('Remove “Your goal”');
    expect(editor.undo()).toEqual({ is: 'done', name: 'Remove “Your goal”', kept: [] });
    expect([editor.canUndo, editor.canRedo]).toEqual([undefined, 'Remove “Your goal”']);
    expect(canonical(editor.document.flow)).toBe(canonical(small));
  });

  test('equal gestures are one undo; ended, or undone, they are not continued', () => {
    const editor = Editor.open(small);
    for (const text of ['a', 'ab', 'abc']) editor.runStep(step(write('lyr_title', text)), { gesture: 'typing' });
    editor.endGesture();
    editor.runStep(step(write('lyr_title', 'abcd')), { gesture: 'typing' });
    editor.undo();
    expect(textOf(editor, 'lyr_title')).toBe('abc');
    editor.runStep(step(write('lyr_title', 'abcde')), { gesture: 'typing' });
    expect(editor.canRedo).toBeUndefined();
    editor.undo();
    expect(textOf(editor, 'lyr_title')).toBe('abc');
    editor.undo();
    expect(textOf(editor, 'lyr_title')).toBe('Your goal');
    expect(editor.canUndo).toBeUndefined();
  });

  test('a gesture over several properties and nodes is undone whole', () => {
    const editor = Editor.open(small);
    for (let x = 0; x < 5; x++) {
      const move: Operation = {
        op: 'move',
        node: 'lyr_title',
        parent: 'lyr_body',
        slot: 'children',
        after: x % 2 ? 'lyr_goal' : null,
        before: 'lyr_goal',
      };
      editor.runStep(step(write('lyr_goal', x, ['style', 'gap']), move), { gesture: 'drag' });
      editor.runStep(step(write('lyr_goal', x, ['style', 'padding', 't'])), { gesture: 'drag' });
    }
    editor.undo();
    expect(canonical(editor.document.flow)).toBe(canonical(small));
    expect(editor.canUndo).toBeUndefined();
    editor.redo();
    expect(editor.object('lyr_goal')?.style).toEqual({ gap: 4, padding: { t: 4 } });
  });

  test('a step that changes nothing is none', () => {
    const editor = Editor.open(small);
    expect(editor.runStep(step({ op: 'unset', node: 'lyr_title', path: ['alt'] }))).toBe(true);
    expect(editor.canUndo).toBeUndefined();
  });
});

test('a refused step says why and changes nothing', () => {
  const editor = Editor.open(small);
  const before = editor.document;
  const inside = { parent: 'lyr_o1', slot: 'children', after: null, before: null };
  const refused = step(write('lyr_title', 'x'), { op: 'move', node: 'lyr_goal', ...inside });
  expect(editor.runStep(refused)).toBe("single choice can't go inside itself");
  expect(editor.document).toBe(before);
  expect(editor.saveState).toBe('saved');
});
