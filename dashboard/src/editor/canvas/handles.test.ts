import { describe, expect, test } from 'vitest';
import type { Flow } from '../document/document';
import { Editor } from '../document/editor';
import type { JsonObject } from '../document/operation';
import { Gestures } from './gestures/Gestures';
import type { Pointer, Stage } from './gestures/gesture';
import { spread } from './gestures/shift';
import type { Handled } from './handled';
import { type Handle, handleAt, handlesOf, type Layout } from './handles';

const layout: Layout = {
  padding: { t: 8, r: 12, b: 8, l: 16 },
  radius: 10,
  hug: { width: 60, height: 40 },
  across: false,
  rightToLeft: false,
};
const has = { width: true, height: true, padding: true, gap: true, radius: true };
const box = { x: 100, y: 100, width: 200, height: 120 };
const inside = [
  { x: 116, y: 108, width: 172, height: 30 },
  { x: 116, y: 146, width: 172, height: 30 },
];
const handles = handlesOf(box, layout, inside, has, 1);
const middle = ({ box: { x, y, width, height } }: Handle) => ({ x: x + width / 2, y: y + height / 2 });

test('each handle is what is found at its middle', () => {
  for (const one of handles) expect(handleAt(handles, middle(one))).toBe(one);
  expect(handles.filter(({ is }) => is === 'size').length).toBe(8);
  expect(handles.filter(({ is }) => is === 'gap').map(middle)).toEqual([{ x: 202, y: 142 }]);
});

test('a layer has handles for what it has, and small ones are not covered by them', () => {
  const none = { width: false, height: false, padding: false, gap: false, radius: false };
  expect(handlesOf(box, layout, inside, none, 1)).toEqual([]);
  const wide = handlesOf(box, layout, [], { ...none, width: true }, 1);
  expect(wide.map((one) => one.is === 'size' && [one.x, one.y])).toEqual([
    [-1, 0],
    [1, 0],
  ]);
  const small = handlesOf({ ...box, width: 20, height: 16 }, layout, [], has, 1);
  expect(new Set(small.map(({ is }) => is))).toEqual(new Set(['size']));
});

/** An editor whose layer is drawn as `box`, and the gestures on it. */
function drawn(style: JsonObject = {}, over: Partial<Handled> = {}) {
  const layer = { id: 'lyr_card', kind: 'stack', direction: 'vertical', gap: 8, children: [], style };
  const body = { id: 'lyr_body', kind: 'stack', direction: 'vertical', children: [layer] };
  const flow = { screens: [{ id: 'scr_one', next: {}, regions: { body } }] } as unknown as Flow;
  const editor = Editor.open(structuredClone(flow));
  editor.select({ nodes: ['lyr_card'] });
  const handled: Handled = {
    id: 'lyr_card',
    kind: 'stack',
    object: editor.object('lyr_card')!,
    box,
    layout,
    handles,
    has,
    names: { width: { hug: undefined, whole: 400 }, height: { hug: 40, whole: undefined } },
    around: { x: 0, y: 0, width: 400, height: 600 },
    across: false,
    free: false,
    ...over,
  };
  const stage: Stage = {
    editor,
    canEdit: true,
    zoom: 1,
    breakpoint: undefined,
    handled: () => handled,
    locked: () => false,
    under: () => ({ screen: 'scr_one', path: ['lyr_body', 'lyr_card'] }),
    boxes: () => [
      { id: 'lyr_body', ...handled.around },
      { id: 'lyr_card', ...box },
    ],
    pan: () => {},
    say: () => {},
  };
  const gestures = new Gestures(() => stage);
  const pointer = (x: number, y: number, keys: Partial<Pointer> = {}): Pointer => ({
    point: { x, y },
    shift: false,
    mod: false,
    alt: false,
    pans: false,
    ...keys,
  });
  /** Presses what is at a point and drags it by some pixels, in as many moves as there are pixels. */
  const pull = (from: { x: number; y: number }, x: number, y: number, keys: Partial<Pointer> = {}) => {
    gestures.down(pointer(from.x, from.y, keys));
    const parts = Math.max(Math.abs(x), Math.abs(y));
    for (let part = 1; part <= parts; part++)
      gestures.move(pointer(from.x + (x * part) / parts, from.y + (y * part) / parts, keys));
    return () => gestures.up(pointer(from.x + x, from.y + y, keys));
  };
  const find = (is: (one: Handle) => boolean) => middle(handles.find(is)!);
  const card = () => editor.object('lyr_card')!;
  const twice = (at: { x: number; y: number }) => gestures.twice(pointer(at.x, at.y));
  return { editor, gestures, pull, twice, find, card };
}

const corner = (one: Handle) => one.is === 'size' && one.x === 1 && one.y === 1;
const right = (one: Handle) => one.is === 'size' && one.x === 1 && one.y === 0;

describe('a drag', () => {
  test('of a corner sets both sizes, as one undo', () => {
    const { editor, pull, find, card } = drawn();
    const before = editor.document.flow;
    pull(find(corner), 33, 17)();
    expect(card().style).toEqual({ width: 233, height: 137 });
    expect(editor.steps).toBe(1);
    expect(editor.canUndo).toBe('Resize stack');
    editor.undo();
    expect(editor.document.flow).toEqual(before);
  });

  test('comes to the sizes that have names, and says which', () => {
    const { gestures, pull, find, card } = drawn();
    const up = pull(find(right), 198, 0);
    expect(gestures.marks.said?.text).toBe('Fill 400');
    up();
    expect(card().style).toEqual({ width: 'full' });
    pull(
      find((one) => one.is === 'size' && one.x === 0 && one.y === 1),
      0,
      -78,
    )();
    expect(card().style).toMatchObject({ height: 'auto' });
  });

  test('with ⇧ keeps the shape, with ⌥ goes to both sides', () => {
    const one = drawn();
    one.pull(one.find(right), 50, 0, { shift: true })();
    expect(one.card().style).toEqual({ width: 250, height: 150 });
    const other = drawn();
    other.pull(other.find(right), 20, 0, { alt: true })();
    expect(other.card().style).toEqual({ width: 240 });
  });

  test('of a gap, of corners and of paddings stops at steps', () => {
    const { pull, find, card } = drawn();
    pull(
      find(({ is }) => is === 'gap'),
      0,
      7,
    )();
    expect(card().gap).toBe(16);
    pull(
      find(({ is }) => is === 'radius'),
      13,
      13,
    )();
    expect(card().style).toEqual({ radius: 24 });
    pull(
      find((one) => one.is === 'padding' && one.side === 'l'),
      9,
      0,
    )();
    expect(card().style).toMatchObject({ padding: { t: 8, r: 12, b: 8, l: 24 } });
  });

  test('of the left padding sets the end of what reads from right to left', () => {
    const { pull, find, card } = drawn({}, { layout: { ...layout, rightToLeft: true } });
    pull(
      find((one) => one.is === 'padding' && one.side === 'l'),
      8,
      0,
    )();
    expect(card().style).toEqual({ padding: { t: 8, r: 24, b: 8, l: 12 } });
  });

  test('that is given up leaves neither change nor undo nor redo', () => {
    const { editor, gestures, pull, find } = drawn();
    const before = editor.document.flow;
    pull(find(corner), 40, 40);
    expect(editor.steps).toBe(1);
    gestures.cancel();
    expect(editor.document.flow).toEqual(before);
    expect([editor.steps, editor.canUndo, editor.canRedo]).toEqual([0, undefined, undefined]);
  });

  test('moves what stands free, and stops where its middle is that of what is around', () => {
    const { editor, gestures, pull, card } = drawn({ position: 'absolute', inset: { t: 100, l: 100 } }, { free: true });
    const up = pull({ x: 180, y: 180 }, 3, 60);
    expect(gestures.marks.guides).toContainEqual({ axis: 'x', at: 200, from: 0, to: 600 });
    up();
    expect(card().style).toMatchObject({ inset: { t: 160, l: 100 } });
    expect(editor.steps).toBe(1);
    expect(editor.canUndo).toBe('Move stack');
  });
});

describe('a double click', () => {
  const names = { width: { hug: 60, whole: 400 }, height: { hug: 40, whole: undefined } };

  test('on an edge makes its side as large as what is in it, on a corner both, as one undo', () => {
    const { editor, twice, find, card } = drawn({ width: 200, height: 120 }, { names });
    expect(twice(find(right))).toBe(true);
    expect(card().style).toEqual({ width: 'auto', height: 120 });
    expect([editor.steps, editor.canUndo]).toEqual([1, 'Resize stack']);
    editor.undo();
    expect(twice(find(corner))).toBe(true);
    expect(card().style).toEqual({ width: 'auto', height: 'auto' });
    editor.undo();
    expect(card().style).toEqual({ width: 200, height: 120 });
  });

  test('on what is as large as its content, or on no handle of a size, is one on the layer', () => {
    const { editor, twice, find } = drawn(
      { width: 'auto' },
      { names: { ...names, height: { hug: 120, whole: undefined } } },
    );
    expect([twice(find(corner)), twice(find(({ is }) => is === 'gap')), twice({ x: 150, y: 160 })]).toEqual([
      false,
      false,
      false,
    ]);
    expect(editor.steps).toBe(0);
  });
});

describe('several layers that stand free', () => {
  const box = (x: number, y: number) => ({ x, y, width: 40, height: 40 });
  /** Two in a card of 400 by 300, a third in it that stays, and one that does not stand free. */
  function several(
    insets: [JsonObject, JsonObject] = [
      { t: 20, l: 30 },
      { t: 80, l: 120 },
    ],
  ) {
    const child = (id: string, style: JsonObject) => ({
      id,
      kind: 'stack',
      direction: 'vertical',
      children: [],
      style,
    });
    const card = {
      ...child('lyr_card', {}),
      children: [
        child('lyr_a', { position: 'absolute', inset: insets[0] }),
        child('lyr_b', { position: 'absolute', inset: insets[1] }),
        child('lyr_c', { position: 'absolute', inset: { t: 200, l: 300 } }),
        child('lyr_d', {}),
      ],
    };
    const body = { ...child('lyr_body', {}), children: [card] };
    const flow = { screens: [{ id: 'scr_one', next: {}, regions: { body } }] } as unknown as Flow;
    const editor = Editor.open(structuredClone(flow));
    editor.select({ nodes: ['lyr_a', 'lyr_b'] });
    const boxes = [
      { id: 'lyr_card', x: 0, y: 0, width: 400, height: 300 },
      { id: 'lyr_a', ...box(30, 20) },
      { id: 'lyr_b', ...box(120, 80) },
      { id: 'lyr_c', ...box(300, 200) },
      { id: 'lyr_d', ...box(0, 0) },
    ];
    const around = { x: 0, y: 0, width: 400, height: 300 };
    const handled = (id: string): Handled => {
      const object = editor.object(id)!;
      const names = { hug: undefined, whole: undefined };
      return {
        ...{ id, kind: 'stack', object, layout, has, around, handles: [], across: false },
        ...{ box: boxes.find((one) => one.id === id)!, names: { width: names, height: names }, free: id !== 'lyr_d' },
      };
    };
    const stage: Stage = {
      ...{ editor, canEdit: true, zoom: 1, breakpoint: undefined, handled, boxes: () => boxes, pan: () => {} },
      locked: () => false,
      under: () => ({ screen: 'scr_one', path: ['lyr_body', 'lyr_card', 'lyr_a'] }),
      say: () => {},
    };
    const gestures = new Gestures(() => stage);
    const pull = (x: number, y: number, keys: Partial<Pointer> = {}) => {
      const at = (x: number, y: number) => ({
        ...{ point: { x: 50 + x, y: 40 + y }, shift: false, mod: false, alt: false, pans: false },
        ...keys,
      });
      gestures.down(at(0, 0));
      for (let part = 1; part <= 10; part++) gestures.move(at((x * part) / 10, (y * part) / 10));
      return () => gestures.up(at(x, y));
    };
    const insetOf = (id: string) => (editor.object(id)!.style as JsonObject).inset;
    return { stage, editor, gestures, pull, insets: () => ['lyr_a', 'lyr_b'].map(insetOf), insetOf };
  }

  test('are moved by one drag, as one undo, and stay selected', () => {
    const { editor, pull, insets, insetOf } = several();
    const before = editor.document.flow;
    pull(33, 43)();
    expect(insets()).toEqual([
      { t: 63, l: 63 },
      { t: 123, l: 153 },
    ]);
    expect(insetOf('lyr_c')).toEqual({ t: 200, l: 300 });
    expect(editor.selection.nodes).toEqual(['lyr_a', 'lyr_b']);
    expect([editor.steps, editor.canUndo]).toEqual([1, 'Move 2 layers']);
    editor.undo();
    expect(editor.document.flow).toEqual(before);
  });

  test('stop where the middle of the box around them is that of what is around, not where one of theirs is', () => {
    const { gestures, pull, insets } = several();
    // The box around both is from 30 to 160: its middle comes to 197 of 400.
    const up = pull(102, 43);
    expect(gestures.marks.guides).toContainEqual({ axis: 'x', at: 200, from: 0, to: 300 });
    expect(gestures.marks.said?.text).toBe('135, 63');
    up();
    expect(insets()).toEqual([
      { t: 63, l: 135 },
      { t: 123, l: 225 },
    ]);
  });

  test('keep their distances at the edge of what is around, whichever side they are placed by', () => {
    const one = several();
    one.pull(-90, -90)();
    expect(one.insets()).toEqual([
      { t: 0, l: 0 },
      { t: 60, l: 90 },
    ]);
    const other = several([
      { b: 240, r: 330 },
      { t: 80, r: 240 },
    ]);
    other.pull(300, 50)();
    expect(other.insets()).toEqual([
      { b: 190, r: 90 },
      { t: 130, r: 0 },
    ]);
  });

  test('go along one axis with ⇧, and give back all of it', () => {
    const { editor, gestures, pull, insets } = several();
    pull(33, 12, { shift: true });
    expect(insets()).toEqual([
      { t: 20, l: 63 },
      { t: 80, l: 153 },
    ]);
    gestures.cancel();
    expect(insets()).toEqual([
      { t: 20, l: 30 },
      { t: 80, l: 120 },
    ]);
    expect([editor.steps, editor.canRedo]).toEqual([0, undefined]);
  });

  test('are moved by arrow keys, with ⇧ by ten, as one undo, and not beyond the edge', () => {
    const { editor, gestures, insets } = several();
    const press = (key: string, shiftKey = false) => gestures.key({ key, shiftKey });
    expect([press('ArrowRight'), press('ArrowRight'), press('ArrowDown', true)]).toEqual([true, true, true]);
    expect(insets()).toEqual([
      { t: 30, l: 32 },
      { t: 90, l: 122 },
    ]);
    expect([editor.steps, editor.canUndo]).toEqual([1, 'Move 2 layers']);
    for (let times = 0; times < 4; times++) press('ArrowUp', true);
    expect(insets()[0]).toEqual({ t: 0, l: 32 });
    expect(insets()[1]).toEqual({ t: 60, l: 122 });
    expect(press('a')).toBe(false);
    editor.select({ nodes: ['lyr_a', 'lyr_d'] });
    expect(press('ArrowUp')).toBe(false);
    editor.select({});
    expect(press('ArrowUp')).toBe(false);
  });

  test('are distributed with as much between any two, as one undo; the outermost stay', () => {
    const { stage, editor, insetOf } = several([
      { t: 20, l: 30 },
      { b: 180, r: 240 },
    ]);
    expect(spread(stage)).toBe('Select three layers or more to distribute');
    const before = editor.document.flow;
    editor.select({ nodes: ['lyr_c', 'lyr_a', 'lyr_b'] });
    // From 30 to 340 there are 190 pixels beside the three: 95 between any two.
    expect(spread(stage)).toBe(true);
    expect(['lyr_a', 'lyr_b', 'lyr_c'].map(insetOf)).toEqual([
      { t: 20, l: 30 },
      { b: 180, r: 195 },
      { t: 200, l: 300 },
    ]);
    expect([editor.steps, editor.canUndo]).toEqual([1, 'Distribute 3 layers']);
    editor.undo();
    expect(editor.document.flow).toEqual(before);
    expect(spread(stage, 'y')).toBe(true);
    expect(insetOf('lyr_b')).toEqual({ b: 150, r: 240 });
    editor.undo();
    editor.select({ nodes: ['lyr_a', 'lyr_b', 'lyr_d'] });
    expect(spread(stage)).toBe('Select three layers or more to distribute');
    expect(spread({ ...stage, handled: () => undefined })).toMatch(/^Select three/);
  });

  test('are put elsewhere in the tree with one that does not stand free among them', () => {
    const { editor, pull, insets } = several();
    const before = insets();
    editor.select({ nodes: ['lyr_a', 'lyr_d'] });
    pull(33, 43)();
    expect(insets()).toEqual(before);
  });
});
