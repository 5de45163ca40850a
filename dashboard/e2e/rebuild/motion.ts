import type { Locator } from 'playwright-core';
import type { JsonObject } from '../../src/editor/document/operation';
import { propertiesOf } from '../../src/editor/properties';
import { type Layer, listOf, type Screen } from './manifest';
import type { Side } from './Side';

/** Gives the selected layer the motions of another. */
export async function setMotions(side: Side, layer: Layer): Promise<void> {
  for (const [at, motion] of listOf(layer.restingMotions).entries()) {
    const section = await side.section('Motion');
    await section.getByRole('button', { name: 'Motion', exact: true }).click();
    const within = section.getByRole('listitem', { name: new RegExp(`^Motion ${at + 1}: `) });
    // A length of its own first: of a motion that repeats, that of a cycle is offered.
    const built: JsonObject = { preset: 'pulse', loop: true };
    if (motion.durationMs !== undefined) await within.getByLabel('Loop', { exact: true }).uncheck();
    for (const name of ['preset', 'durationMs', 'loop'])
      await one(name, name === 'loop' ? { ...built, loop: motion.durationMs === undefined } : built);
    for (const { path } of propertiesOf('motion'))
      if (!/^(preset|durationMs|loop)$/.test(path[0]!)) await one(path[0]!, built);

    async function one(name: string, is: JsonObject) {
      const property = propertiesOf('motion').find(({ path }) => path[0] === name)!;
      if (motion[name] === is[name]) return;
      await side.set(property, motion, is, 'motion', { within });
    }
  }
}

const times: Record<string, string> = { staggerIndex: 'Turn', delayMs: 'Delay, ms', durationMs: 'Duration, ms' };
const words: Record<string, string> = { opacity: 'Opacity', translateX: 'Sideways', translateY: 'Up', scale: 'Size' };

/** Gives the selected screen the animations of another. */
export async function setClips(side: Side, screen: Screen): Promise<void> {
  for (const [at, clip] of listOf(screen.animations).entries()) {
    const section = await side.section('Motion');
    await section.getByRole('button', { name: 'Animation', exact: true }).click();
    const fields = section.getByRole('group', { name: `animation ${at + 1}`, exact: true });
    await fields.getByLabel('Layer', { exact: true }).selectOption(String(clip.targetLayerId));
    await fields.getByLabel('Plays', { exact: true }).selectOption(String(clip.trigger));
    for (const [member, label] of Object.entries(times))
      if (clip[member] !== undefined || member === 'delayMs')
        await side.number(fields.getByLabel(label, { exact: true }), clip[member] ?? '');
    side.byControl += 4;
    for (const [i, track] of listOf(clip.tracks).entries()) await setTrack(side, fields, i, track);
  }
}

/** A curve as its picture is called. */
const inWords = (easing: string) => easing[0]!.toUpperCase() + easing.slice(1).replaceAll('-', ' ');

async function setTrack(side: Side, fields: Locator, at: number, track: JsonObject) {
  if (at > 0) await fields.getByRole('button', { name: 'Change', exact: true }).click();
  const group = fields.getByRole('group').nth(at);
  await group.getByLabel('Changes', { exact: true }).selectOption(String(track.property));
  const named = fields.getByRole('group', { name: new RegExp(`^${words[String(track.property)]}`) });
  const keyframes = listOf(track.keyframes);
  for (let i = 2; i < keyframes.length; i++) await named.getByRole('button', { name: 'Value between' }).click();
  for (const [i, { t, value, easing }] of keyframes.entries()) {
    const inner = i > 0 && i < keyframes.length - 1;
    if (inner) await side.number(named.getByLabel(`At, % of the time of value ${i + 1}`), Number(t) * 100);
    await side.number(named.getByLabel(`Value ${i + 1}`, { exact: true }), value!);
    if (i < keyframes.length - 1) {
      await named.getByRole('button', { name: `Easing after value ${i + 1}: ` }).click();
      await named
        .page()
        .getByRole('radio', { name: inWords(String(easing ?? 'linear')), exact: true })
        .check();
      await named.page().keyboard.press('Enter');
    }
  }
  side.byControl += 1 + keyframes.length;
}
