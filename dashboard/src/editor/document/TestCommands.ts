import { addOption } from './commands/addOption';
import { align } from './commands/align';
import { convert, kindsToBecome } from './commands/convert';
import { kindsToInsert } from './commands/defaults';
import { duplicate } from './commands/duplicate';
import { insert } from './commands/insert';
import { move } from './commands/move';
import { copyText, paste } from './commands/paste';
import { remove } from './commands/remove';
import { renameKey, renameNode } from './commands/rename';
import { moveDown, moveUp } from './commands/reorder';
import { replaceText } from './commands/replaceText';
import { addScreen, duplicateScreen, makeFirst, moveScreen, removeScreen, screensOf } from './commands/screens';
import { showWhen } from './commands/showWhen';
import { unwrap, wrap } from './commands/wrap';
import { isLayer, slotsOf } from './document';
import type { Command, Editor } from './editor';
import type { Random } from './TestRandom';

/** Selects something and runs a command on it, as a person does who presses whatever is there. Returns the command's id
 * and what it said. */
export function runAny(editor: Editor, random: Random): { id: string; said: true | string } {
  const nodes = random.nodes(editor.document);
  const layers = nodes.filter((node) => isLayer(node.kind));
  const screens = screensOf(editor.document);
  if (screens.length === 0 || layers.length === 0) return { id: 'add-screen', said: editor.run(addScreen, {}) };
  const screen = random.pick(screens).id;
  const layer = random.pick(layers);
  editor.select({
    screen,
    nodes: random.below(5) ? Array.from({ length: 1 + random.below(2) }, () => random.pick(layers).id) : [],
  });
  const run = <Input>(command: Command<Input>, input: Input) => ({ id: command.id, said: editor.run(command, input) });
  const parent = random.pick(layers.filter((node) => slotsOf(node.kind).some(([, slot]) => slot.holds === 'layer')));
  const slot = parent.kind === 'carousel' ? 'slides' : 'children';
  const expression = {
    kind: 'predicate',
    variable: { kind: 'builtin', name: 'locale' },
    predicate: { type: 'string', pred: { op: 'eq', value: 'de' } },
  };
  const acts = [
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
