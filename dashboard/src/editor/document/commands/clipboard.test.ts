import { expect, test } from 'vitest';
import type { Flow } from '../document';
import type { JsonObject } from '../operation';
import { TestEditor } from '../TestEditor';
import { cut } from './cut';
import { copyText, mostPasted, paste, readClip } from './paste';
import { pasteStyle } from './pasteStyle';

const words = (id: string, text: string, style: JsonObject = {}) => ({
  ...{ id, kind: 'text', text: { default: text }, style },
});
const flow: Flow = {
  entryScreenId: 'scr_1',
  screens: ['scr_1', 'scr_2'].map((id, at) => ({
    id,
    name: `Screen ${at + 1}`,
    next: { default: at === 0 ? 'scr_2' : null },
    regions: {
      body: {
        id: `lyr_body_${at}`,
        kind: 'stack',
        direction: 'vertical',
        children: [
          words(`lyr_title_${at}`, 'Title', { fontSize: 30, align: 'center', width: 'full' }),
          words(`lyr_note_${at}`, 'Note', { fontSize: 12, color: '#ff0000', width: 80 }),
          { id: `lyr_icon_${at}`, kind: 'icon', iconName: 'star', family: 'ionicons', style: { color: '#0000ff' } },
        ],
      },
    },
  })),
};
const layers = (...nodes: unknown[]) => JSON.stringify({ svc: 'layers', nodes });

test('what is cut can be pasted on another screen, each as one undo', () => {
  const page = TestEditor.open(flow);
  const text = copyText(page.click('Note').editor)!;
  page.run(cut, undefined);
  expect([page.editor.canUndo, page.outline().length]).toEqual(['Cut “Note”', 3]);
  page.open('Screen 2').run(paste, { text });
  expect(page.outline()).toEqual(['stack', '  Title', '  Note', '  icon', '  Note']);
  page.undo();
  page.undo();
  expect(page.editor.document.flow).toEqual(flow);
  expect(page.open('Screen 1').run(cut, undefined).said).toBe('Select a layer to cut');
});

test('screens of another flow lead to each other, and nowhere that is not here', () => {
  const both = TestEditor.open(flow);
  both.editor.select({ nodes: ['scr_1', 'scr_2'] });
  const page = TestEditor.open({ screens: [] });
  page.run(paste, { text: copyText(both.editor)! });
  expect([page.said, page.editor.canUndo]).toEqual([true, 'Paste 2 screens']);
  const screens = page.editor.document.flow.screens as unknown as { id: string; next: { default: string | null } }[];
  expect(screens.map(({ next }) => next.default)).toEqual([screens[1]!.id, null]);
  expect(page.editor.document.flow.entryScreenId).toBe(screens[0]!.id);

  const one = TestEditor.open({ screens: [] }).run(paste, { text: copyText(TestEditor.open(flow).editor)! });
  expect(one.editor.document.flow.screens).toMatchObject([{ next: { default: null } }]);
});

test.each([
  ['a kind that is not here, by its name', layers({ id: 'a', kind: 'marquee' }), /no kind of layer “marquee”/],
  [
    'one inside of others',
    layers({ id: 'a', kind: 'stack', children: [{ id: 'b', kind: 'x'.repeat(99) }] }),
    /no kind of layer “x{40}”/,
  ],
  ['what is too large', layers(words('a', 'é'.repeat(mostPasted.bytes / 2))), /240 kB/],
  ['too many', layers(...Array.from({ length: 201 }, (_, i) => words(`a${i}`, 'b'))), /more than 200/],
  ['a poisoned member', '{"svc":"layers","nodes":[{"id":"a","kind":"text","__proto__":{}}]}', /broken text/],
  ['half a character', '{"svc":"layers","nodes":[{"id":"a","kind":"text","name":"\\ud800"}]}', /broken text/],
  [
    'what is too deep',
    layers({ id: 'a', kind: 'text', text: JSON.parse('['.repeat(200) + ']'.repeat(200)) }),
    /too deep/,
  ],
  ['parts that stand nowhere else', layers({ id: 'a', kind: 'oauth_provider' }), /no place for it here/],
])('%s is refused, and nothing changes', (_, text, why) => {
  const page = TestEditor.open(flow);
  expect(page.run(paste, { text }).said).toMatch(why);
  expect([page.editor.document.flow, page.editor.steps]).toEqual([flow, 0]);
});

test('a stranger’s ids are made anew, wherever they are named', () => {
  const text = layers({ id: 'flow2', kind: 'stack', children: [words('lyr_title_0', 'Mine')] });
  const page = TestEditor.open(flow).run(paste, { text });
  expect(page.editor.object('lyr_title_0')).toMatchObject({ text: { default: 'Title' } });
  expect([page.editor.object('flow2'), page.selection().length]).toEqual([undefined, 1]);
});

test('a style is pasted on several layers, as far as they have it; places and sizes stay', () => {
  const page = TestEditor.open(flow);
  const text = copyText(page.click('Note').editor)!;
  page.click('Title').click('icon', { shift: true }).run(pasteStyle, { text });
  expect(page.editor.canUndo).toBe('Paste the style of “Note”');
  expect(page.editor.object('lyr_title_0')!.style).toEqual({ fontSize: 12, color: '#ff0000', width: 'full' });
  expect(page.editor.object('lyr_icon_0')!.style).toEqual({ color: '#ff0000' });
  page.undo();
  expect(page.editor.document.flow).toEqual(flow);

  expect(page.open().run(pasteStyle, { text }).said).toBe('Select the layers to give the style');
  expect(page.click('Title').run(pasteStyle, { text: 'hello' }).said).toBe(readClip('hello'));
  const screens = JSON.stringify({ svc: 'screens', nodes: flow.screens });
  expect(page.run(pasteStyle, { text: screens }).said).toBe('Copy a layer for its style, not a screen');
});
