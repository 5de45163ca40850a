import { kinds } from '../../../../../manifest/shape/shape.json';
import { isObject } from '../canonical';
import { nodeOf, slotsOf } from '../document';
import type { Command } from '../editor';
import type { JsonObject, NodeId } from '../operation';
import { inWords, label } from '../words';
import { newLayer } from './defaults';
import { takes } from './target';

/** Kinds that are so much alike that one can become another. */
const families = [
  ['single_choice', 'multiple_choice'],
  ['stack', 'button', 'back_button', 'hyperlink'],
  ['text_input', 'phone_input', 'date_time_input', 'address_input'],
  ['image', 'video', 'lottie'],
  ['scale_input', 'number_stepper'],
];

/** Lists the kinds that a layer of a kind can become. */
export function kindsToBecome(kind: string): string[] {
  return families.flatMap((family) => (family.includes(kind) ? family.filter((one) => one !== kind) : []));
}

/** Makes a layer one of another kind, with its id, so that what names it still does, and with all that both kinds have. */
export const convert: Command<{ node: NodeId; kind: string }> = {
  id: 'convert',
  when(editor, { node: id, kind }) {
    const node = nodeOf(editor.document, id);
    if (!node) return 'It was removed';
    if (!kindsToBecome(node.kind).includes(kind)) return `${label(editor.document, id)} can't become that`;
    return (node.slot === 'children' && takes(node.parent!, node.slot, kind)) || 'Only a stack can stand there';
  },
  build(editor, { node: id, kind }, newId) {
    const node = nodeOf(editor.document, id)!;
    const was = node.object;
    const made = newLayer(kind, newId, (wanted) => (typeof was.fieldKey === 'string' ? was.fieldKey : wanted));
    const shape = (kinds as unknown as Record<string, { properties?: JsonObject }>)[kind]!;
    const same = (slotsOf(kind) as [string, { holds: string; kinds?: string[] }][]).filter(([name, slot]) => {
      const twin = slotsOf(node.kind).find(([other]) => other === name)?.[1];
      return twin?.holds === slot.holds && String(twin.kinds ?? '') === String(slot.kinds ?? '');
    });
    const members = Object.entries(was).filter(([name, value]) => {
      if (same.some(([slot]) => slot === name)) return true;
      const before = (kinds as unknown as Record<string, { properties?: JsonObject }>)[node.kind]!.properties;
      // What has the same name and means something else is left out: the value would be none that it can have.
      return value !== undefined && isSame(shape.properties?.[name], before?.[name]);
    });
    const { style: _, ...rest } = made;
    const subtree: JsonObject = {
      ...(was.style === undefined ? made : rest),
      ...Object.fromEntries(members),
      id,
      kind,
    };
    const { parent, slot } = editor.document.parents.get(id)!;
    const siblings = (nodeOf(editor.document, parent)!.object[slot] ?? []) as JsonObject[];
    const at = siblings.findIndex((one) => one.id === id);
    const anchor = (i: number) => (siblings[i] ? String(siblings[i].id) : null);
    return {
      step: {
        name: `Make ${label(editor.document, id)} a ${inWords(kind).replaceAll('_', ' ')}`,
        operations: [
          { op: 'remove', node: id },
          { op: 'insert', parent, slot, subtree, after: anchor(at - 1), before: anchor(at + 1) },
        ],
      },
      select: { nodes: [id] },
    };
  },
};

function isSame(a: unknown, b: unknown): boolean {
  return isObject(a) && JSON.stringify(a) === JSON.stringify(b);
}
