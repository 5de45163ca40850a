import { expect, test } from 'vitest';
import { canonical } from '../canonical';
import type { Flow } from '../document';
import { TestEditor } from '../TestEditor';
import { backgroundOf, layersBeside, setAction, setTrigger } from './actions';

const button = (id: string, action: Flow) => ({ id, kind: 'button', variant: 'primary', action, children: [] });
const screen = (id: string, children: object[]) => ({
  id,
  name: id,
  next: { default: null },
  containerStyle: { backgroundFill: { kind: 'video' } },
  regions: { body: { id: `lyr_${id}`, kind: 'stack', direction: 'vertical', children } },
});
const go = { kind: 'continue' };
const flow = {
  entryScreenId: 'scr_1',
  screens: [
    screen('scr_1', [
      button('lyr_a', go),
      button('lyr_b', go),
      { id: 'lyr_film', kind: 'video' },
      { id: 'lyr_dance', kind: 'lottie', autoPlay: true },
    ]),
    screen('scr_2', [{ id: 'lyr_far', kind: 'video' }]),
  ],
} as unknown as Flow;
const play = (...targetLayerIds: string[]) => ({ kind: 'play_media', targetLayerIds });
const background = backgroundOf('scr_1');

function undoAll(page: TestEditor, times: number) {
  for (let i = 0; i < times; i++) page.undo();
  expect(page.editor.canUndo).toBeUndefined();
  expect(canonical(page.editor.document.flow)).toBe(canonical(flow));
}

/** The rule of manifest.md §12.2: what waits has a button as its trigger, and that button plays it. */
function expectSound(page: TestEditor) {
  const { document } = page.editor;
  const fill = (page.editor.object('scr_1')!.containerStyle as Flow).backgroundFill as Flow;
  const played = [...layersBeside(document, 'lyr_a', ['video', 'lottie']).map(({ id, object }) => ({ id, ...object }))];
  for (const { id, ...it } of [...played, { ...fill, id: background }] as Flow[]) {
    const trigger = it.triggerLayerId === undefined ? undefined : page.editor.object(String(it.triggerLayerId));
    if (it.autoPlay === false) expect(trigger).toBeDefined();
    if (trigger) expect((trigger.action as Flow).targetLayerIds).toContain(id);
  }
}

test('what a button plays waits for it, and starts by itself again when the button does something else', () => {
  const page = TestEditor.open(flow).run(setAction, { node: 'lyr_a', action: play('lyr_film', background) });
  expect(page.editor.object('lyr_film')).toMatchObject({ triggerLayerId: 'lyr_a', autoPlay: false });
  expect(page.editor.object('scr_1')).toMatchObject({
    containerStyle: { backgroundFill: { triggerLayerId: 'lyr_a', autoPlay: false } },
  });
  expectSound(page);
  page.run(setAction, { node: 'lyr_b', action: play('lyr_film', 'lyr_dance') });
  expect(page.editor.object('lyr_film')).toMatchObject({ triggerLayerId: 'lyr_a' });
  expect(page.editor.object('lyr_dance')).toMatchObject({ triggerLayerId: 'lyr_b', autoPlay: false });
  expectSound(page);
  page.run(setAction, { node: 'lyr_a', action: go });
  expect(page.editor.object('lyr_film')).toEqual({ id: 'lyr_film', kind: 'video' });
  expectSound(page);
  expect(page.run(setAction, { node: 'lyr_film', action: go }).said).toBe('The button was removed');
  undoAll(page, 3);
});

test('an animation is started by a button that plays, and the other button lets go of it', () => {
  const page = TestEditor.open(flow).run(setAction, { node: 'lyr_a', action: play('lyr_film', 'lyr_dance') });
  expect(page.run(setTrigger, { player: 'lyr_film', button: 'lyr_b' }).said).toBe('That button plays nothing');
  page.run(setAction, { node: 'lyr_b', action: play(background) });
  page.run(setTrigger, { player: 'lyr_film', button: 'lyr_b' });
  expect(page.editor.object('lyr_a')).toMatchObject({ action: play('lyr_dance') });
  expect(page.editor.object('lyr_b')).toMatchObject({ action: play(background, 'lyr_film') });
  expectSound(page);
  page.run(setTrigger, { player: background, button: null });
  expect(page.editor.object('scr_1')!.containerStyle).toEqual({ backgroundFill: { kind: 'video' } });
  page.run(setTrigger, { player: background, button: 'lyr_a' });
  expect(page.editor.object('lyr_a')).toMatchObject({ action: play('lyr_dance', background) });
  expectSound(page);
  page.run(setTrigger, { player: 'lyr_film', button: null });
  expect(page.editor.object('lyr_film')).toEqual({ id: 'lyr_film', kind: 'video' });
  expectSound(page);
  undoAll(page, 6);
});

test('only what is on the screen is beside a layer', () => {
  const { document } = TestEditor.open(flow).editor;
  expect(layersBeside(document, 'lyr_a', ['video']).map(({ id }) => id)).toEqual(['lyr_film']);
  expect(layersBeside(document, 'flow', ['video'])).toEqual([]);
});
