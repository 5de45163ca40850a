import { isItem, nodeOf } from '../document';
import type { Command } from '../editor';
import type { NodeId, Operation } from '../operation';
import { label } from '../words';

/** Gives a layer, screen, decision or surface another name; an empty one takes the name away, but of a screen. */
export const renameNode: Command<{ node: NodeId; name: string; gesture?: string }> = {
  id: 'rename-node',
  when(editor, { node: id, name }) {
    const node = nodeOf(editor.document, id);
    if (!node) return 'It was removed';
    if (id === 'flow' || isItem(node.kind)) return 'It has no name of its own';
    if (node.kind === 'screen' && name.trim() === '') return 'A screen needs a name';
    return [...name.trim()].length <= 80 || 'A name has 80 characters at most';
  },
  build(editor, { node, name, gesture }) {
    const value = name.trim();
    const operation: Operation =
      value === '' ? { op: 'unset', node, path: ['name'] } : { op: 'set', node, path: ['name'], value };
    const step = { name: `Rename ${label(editor.document, node)}`, operations: [operation] };
    return { step, gesture };
  },
};

const of = { field: 'field', option: 'option', attribute: 'attribute' };

/** Gives a field, an option of a layer, or an attribute another key wherever it is used. */
export const renameKey: Command<{ key: 'field' | 'option' | 'attribute'; owner?: NodeId; from: string; to: string }> = {
  id: 'rename-key',
  when(editor, { key, owner, to }) {
    if (owner !== undefined && !nodeOf(editor.document, owner)) return 'It was removed';
    if (key === 'option' && owner === undefined) return 'Select the question of the option';
    if (to === '') return 'It needs a key';
    return key !== 'field' || /^[a-z][a-z0-9_]*$/.test(to) || 'A key has small letters, digits and _, a letter first';
  },
  build(_, { key, owner, from, to }) {
    const operation: Operation = { op: 'rename', key, ...(owner === undefined ? {} : { owner }), from, to };
    return { step: { name: `Rename the ${of[key]} ${from} to ${to}`, operations: [operation] } };
  },
};
