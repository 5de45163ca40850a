import { expect, test } from 'vitest';
import { canonical } from '../canonical';
import { type Flow, nodeOf } from '../document';
import type { JsonObject } from '../operation';
import { TestEditor } from '../TestEditor';
import { addClip, addMotion, clipsOf, motionsOf, removeItem, setClipTrigger, trackOf, withKeyframe } from './motion';
import { addRegion, removeRegion } from './regions';

const title = { id: 'lyr_title', kind: 'text', text: { default: 'Title' } };
const flow: Flow = {
  entryScreenId: 'scr_1',
  screens: [
    {
      id: 'scr_1',
      name: 'Goal',
      next: { default: null },
      regions: { body: { id: 'lyr_body', kind: 'stack', direction: 'vertical', children: [title] } },
    },
  ],
};

function undoAll(page: TestEditor) {
  while (page.editor.canUndo) page.undo();
  expect(canonical(page.editor.document.flow)).toBe(canonical(flow));
}

test('a layer gets motions and loses them; the last takes its list along', () => {
  const page = TestEditor.open(flow).run(addMotion, { node: 'lyr_title' }).run(addMotion, { node: 'lyr_title' });
  expect(page.said).toBe(true);
  const motions = motionsOf(nodeOf(page.editor.document, 'lyr_title')!);
  expect(motions.map(({ object }) => object.preset)).toEqual(['pulse', 'pulse']);
  for (const { id: item } of motions) page.run(removeItem, { item, name: 'Remove a motion' });
  expect(page.editor.object('lyr_title')).toEqual(title);
  expect(page.run(addMotion, { node: 'lyr_gone' }).said).toBe('The layer was removed');
  undoAll(page);
});

test('an animation is of the layer that it is asked for, else of the first in a region', () => {
  const page = TestEditor.open(flow)
    .run(addClip, { screen: 'scr_1' })
    .run(addClip, { screen: 'scr_1', target: 'lyr_body' });
  const clips = () => clipsOf(nodeOf(page.editor.document, 'scr_1')!);
  expect(clips().map(({ object }) => object.targetLayerId)).toEqual(['lyr_title', 'lyr_body']);
  expect(page.editor.canUndo).toBe('Animate stack');
  for (const { id: item } of clips()) page.run(removeItem, { item, name: 'Remove' });
  expect(page.editor.object('scr_1')).not.toHaveProperty('animations');
  undoAll(page);
});

test('what plays in turn has a turn, behind the others, and loses it otherwise', () => {
  const page = TestEditor.open(flow).run(addClip, { screen: 'scr_1' }).run(addClip, { screen: 'scr_1' });
  const clips = () => clipsOf(nodeOf(page.editor.document, 'scr_1')!).map(({ object }) => object);
  const ids = clipsOf(nodeOf(page.editor.document, 'scr_1')!).map(({ id }) => id);
  for (const clip of ids) page.run(setClipTrigger, { clip, trigger: 'stagger' });
  expect(clips().map(({ staggerIndex }) => staggerIndex)).toEqual([0, 1]);
  page.run(setClipTrigger, { clip: ids[0]!, trigger: 'unmount' });
  expect(clips()[0]).not.toHaveProperty('staggerIndex');
  expect(clips()[0]).toMatchObject({ trigger: 'unmount' });
  undoAll(page);
});

test('a value between comes in the middle of the last stretch', () => {
  const frames = withKeyframe(trackOf('translateY').keyframes as JsonObject[]) as JsonObject[];
  expect(frames.map(({ t, value }) => [t, value])).toEqual([
    [0, 24],
    [0.5, 12],
    [1, 0],
  ]);
  expect((withKeyframe(frames) as JsonObject[]).map(({ t }) => t)).toEqual([0, 0.5, 0.75, 1]);
});

test('a screen gets a header and a footer, each once, and loses them with what is in them', () => {
  const page = TestEditor.open(flow).run(addRegion, { screen: 'scr_1', region: 'header' });
  expect(page.run(addRegion, { screen: 'scr_1', region: 'header' }).said).toBe('The screen has a header already');
  page.run(addRegion, { screen: 'scr_1', region: 'footer' });
  expect(page.outline()).toHaveLength(4);
  page.run(removeRegion, { screen: 'scr_1', region: 'header' });
  expect(page.run(removeRegion, { screen: 'scr_1', region: 'header' }).said).toBe('The screen has no header');
  undoAll(page);
});
