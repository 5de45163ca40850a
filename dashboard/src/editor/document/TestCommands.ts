import { addOption } from './commands/addOption';
import { addStep } from './commands/addStep';
import { align } from './commands/align';
import { addCase } from './commands/cases';
import { connect, disconnect } from './commands/connect';
import { convert, kindsToBecome } from './commands/convert';
import { kindsToInsert } from './commands/defaults';
import { duplicate } from './commands/duplicate';
import { insert } from './commands/insert';
import { move } from './commands/move';
import { copyText, paste } from './commands/paste';
import { moveSteps, startWith, tidySteps } from './commands/placeSteps';
import { remove } from './commands/remove';
import { removeSteps } from './commands/removeSteps';
import { renameKey, renameNode } from './commands/rename';
import { moveDown, moveUp } from './commands/reorder';
import { replaceText } from './commands/replaceText';
import { addScreen, duplicateScreen, makeFirst, moveScreen, removeScreen, screensOf } from './commands/screens';
import { showWhen } from './commands/showWhen';
import { unwrap, wrap } from './commands/wrap';
import { isLayer, slotsOf } from './document';
import type { Command, Editor } from './editor';
import { end, exitsOf, stepsOf } from './exits';
import type { Random } from './TestRandom';

/** Selects something and runs a command on it, as a person does who presses whatever is there. Returns the command's id
 * and what it said. */
export function runAny(editor: Editor, random: Random): { id: string; said: true | string } {
  const nodes = random.nodes(editor.document);
  const layers = nodes.filter((node) => isLayer(node.kind));
  const screens = screensOf(editor.document);
  const parents = layers.filter((node) => slotsOf(node.kind).some(([, slot]) => slot.holds === 'layer'));
  if (screens.length === 0 || parents.length === 0) return { id: 'add-screen', said: editor.run(addScreen, {}) };
  const screen = random.pick(screens).id;
  const layer = random.pick(layers);
  editor.select({
    screen,
    nodes: random.below(5) ? Array.from({ length: 1 + random.below(2) }, () => random.pick(layers).id) : [],
  });
  const run = <Input>(command: Command<Input>, input: Input) => ({ id: command.id, said: editor.run(command, input) });
  const parent = random.pick(parents);
  const slot = parent.kind === 'carousel' ? 'slides' : 'children';
  const expression = {
    kind: 'predicate',
    variable: { kind: 'builtin', name: 'locale' },
    predicate: { type: 'string', pred: { op: 'eq', value: 'de' } },
  };
  const steps = stepsOf(editor.document);
  const step = random.pick(steps).id;
  const exit = random.pick(steps.flatMap(exitsOf)).id;
  const acts = [
    () => run(connect, { exit, to: random.below(4) ? step : end }),
    () => run(disconnect, { exit }),
    () => run(addStep, { kind: random.below(2) ? 'screen' : 'decision', on: exit, at: { x: random.below(9), y: 1.5 } }),
    () => run(addCase, { node: step, expression }),
    () => run(removeSteps, { steps: random.below(3) ? [step] : [step, random.pick(steps).id] }),
    () =>
      run(moveSteps, { places: new Map([[step, { x: random.below(99), y: -1 }]]), gesture: random.pick(['a', 'b']) }),
    () => run(tidySteps, { steps: random.below(2) ? [step] : undefined }),
    () => run(startWith, { step }),
    () => run(move, { nodes: [layer.id], to: { parent: parent.id, slot } }),
    () => run(move, { nodes: [layer.id, random.pick(layers).id], to: { parent: parent.id, slot, after: null } }),
    () => run(insert, { kind: random.pick(kindsToInsert) }),
    () => run(insert, { kind: random.pick(kindsToInsert), to: { parent: parent.id, slot } }),
    () => run(remove, undefined),
    () => run(duplicate, undefined),
    () => run(wrap, undefined),
    () => run(unwrap, undefined),
    () => run(moveUp, undefined),
    () => run(moveDown, undefined),
    () => run(paste, { text: copyText(editor) ?? '' }),
    () => run(renameNode, { node: layer.id, name: random.pick(['', 'Card', '“Title” \u{1F600}']) }),
    () =>
      run(renameKey, { key: 'field', from: random.pick(['plan', 'goal', 'answer']), to: `key_${random.below(50)}` }),
    () => run(replaceText, { find: random.pick(['a', 'Option', '{{']), replace: random.pick(['e', '$1', 'Wahl']) }),
    () => run(showWhen, { node: layer.id, expression: random.below(3) ? expression : null }),
    () => run(addOption, { node: random.pick(nodes).id }),
    () =>
      run(align, {
        axis: random.pick(['horizontal', 'vertical']),
        to: random.pick(['start', 'center', 'stretch', 'between']),
      }),
    () => run(convert, { node: layer.id, kind: random.pick([...kindsToBecome(layer.kind), 'stack']) }),
    () => run(addScreen, { after: screen }),
    () => run(duplicateScreen, { screen }),
    () => run(moveScreen, { screen, after: random.below(2) ? null : random.pick(screens).id }),
    () => run(makeFirst, { screen }),
    () => run(removeScreen, { screen }),
  ];
  return random.pick(acts)();
}
