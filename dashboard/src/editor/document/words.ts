import { find, isObject } from './canonical';
import { type Document, type Found, kindOf, nodeOf, slotOf } from './document';
import type { JsonObject, NodeId, Operation, RefusalCode } from './operation';

/** Names a node for people: the name that authors gave it, else the beginning of its text, else its kind. Go does the
 * same for the draft's history (manifest/edit/words.go). */
export function label(document: Document, id: NodeId): string {
  const node = nodeOf(document, id);
  return node ? labelOf(node) : 'what was removed';
}

/** Names nodes for people: one by its name, several by how many they are. */
export const labels = (document: Document, ids: readonly NodeId[]): string =>
  ids.length === 1 ? label(document, ids[0]!) : `${ids.length} layers`;

export function labelOf({ id, kind, object }: Pick<Found, 'id' | 'kind' | 'object'>): string {
  if (id === 'flow') return 'the flow';
  if (typeof object.name === 'string' && object.name !== '') return `“${object.name}”`;
  const text = firstText(object);
  if (text !== '') return `“${text}”`;
  return inWords(kind || 'layer').replaceAll('_', ' ');
}

/** Returns the first words of a layer's own text, or of the text inside a button; '' when there are none. */
function firstText(object: JsonObject): string {
  for (const member of ['text', 'label', 'placeholder']) {
    const text = find(object[member], ['default']);
    if (typeof text === 'string' && text !== '') return clip(text.replace(template, templateInWords), 40);
  }
  const child = Array.isArray(object.children) && object.kind === 'button' ? object.children[0] : undefined;
  return isObject(child) ? firstText(child) : '';
}

/** A value that a text shows, as `{{ first_name | default: "you" }}`, with its key. */
const template = /\{\{[ \t]*(?:custom\.)?([a-z][a-z0-9_]*)[^{}]*\}\}/g;

/** Writes a value that a text shows by its key: {First name}. */
const templateInWords = (_: string, key: string) =>
  `{${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}}`;

function clip(text: string, length: number): string {
  const points = [...text];
  return points.length <= length ? text : `${points.slice(0, length).join('').trim()}…`;
}

/** Names what operations do, for undo and the history: "Change the text of “Title”". Call it before they are applied,
 * while what they remove can still be named. */
export function describe(document: Document, operations: readonly Operation[]): string {
  const [first, ...rest] = operations;
  if (!first) return 'Change nothing';
  const words = describeOne(document, first);
  const node = 'node' in first ? first.node : '';
  const alike = rest.every((one) => one.op === first.op && ('node' in one ? one.node : '') === node);
  return alike ? words : `${words} and ${rest.length} more`;
}

function describeOne(document: Document, operation: Operation): string {
  switch (operation.op) {
    case 'set':
    case 'unset': {
      const verb = operation.op === 'set' ? 'Change' : 'Reset';
      const [member] = operation.path;
      const node = label(document, operation.node);
      if (member === undefined) return `${verb} ${node}`;
      return `${verb} the ${member === 'expression' ? 'condition' : inWords(member)} of ${node}`;
    }
    case 'insert': {
      const parent = nodeOf(document, operation.parent);
      const slot = parent && slotOf(parent.kind, operation.slot);
      return `Add ${labelOf({ id: '', kind: slot ? kindOf(operation.subtree, slot) : '', object: operation.subtree })}`;
    }
    case 'move':
      return `Move ${label(document, operation.node)}`;
    case 'remove':
      return `Remove ${label(document, operation.node)}`;
    case 'rename':
      return `Rename ${operation.from} to ${operation.to}`;
  }
}

/** Writes a member's name as words: selectedStyle is "selected style". */
export function inWords(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Says why a step was not applied, with the name that its node has. */
export function refusalInWords(document: Document, { code, node }: { code: RefusalCode; node: NodeId }): string {
  const name = label(document, node);
  switch (code) {
    case 'node_removed':
      return nodeOf(document, node) ? 'There is nothing of that name to rename' : 'What this changes was removed';
    case 'cycle':
      return `${name} can't go inside itself`;
    case 'exists':
      return 'This name or id is already in use';
    case 'slot':
      return `This can't stand there: ${name} has no free place for it`;
    case 'shape':
      return `${name} can't have this value`;
    case 'limit':
      return 'This is more than a flow may hold';
  }
}
