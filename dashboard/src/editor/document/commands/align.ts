import { find } from '../canonical';
import { nodeOf } from '../document';
import type { Command, Editor } from '../editor';
import type { JsonObject, Operation } from '../operation';
import { label } from '../words';

export type Alignment = 'start' | 'center' | 'end' | 'stretch';
export type Distribution = 'start' | 'center' | 'end' | 'between' | 'around';

/** Aligns what stands in the selected stack, or in the one around the selected layers, across or along it: layers flow,
 * so it is the stack that says where they are. */
export const align: Command<{ axis: 'horizontal' | 'vertical'; to: Alignment | Distribution }> = {
  id: 'align',
  when(editor, { axis, to }) {
    const stack = stackOf(editor);
    if (typeof stack === 'string') return stack;
    const along = isAlong(stack.object.direction, axis);
    if (along && to === 'stretch') return 'Layers are stretched across their stack only';
    if (!along && (to === 'between' || to === 'around')) return 'Layers are spread along their stack only';
    return true;
  },
  build(editor, { axis, to }) {
    const stack = stackOf(editor);
    if (typeof stack === 'string') throw new Error(stack);
    const path = [isAlong(stack.object.direction, axis) ? 'distribution' : 'align'];
    const operation: Operation = { op: 'set', node: stack.id, path, value: to };
    return { step: { name: `Align what is in ${label(editor.document, stack.id)}`, operations: [operation] } };
  },
};

function isAlong(direction: unknown, axis: string): boolean {
  return (direction === 'horizontal' ? 'horizontal' : 'vertical') === axis;
}

/** Whether a layer stands free of those beside it, where it was put. */
export const isFree = (object: JsonObject): boolean => find(object, ['style', 'position']) === 'absolute';

const layouts = new Set(['stack', 'button', 'back_button', 'hyperlink']);

/** The stack whose layers are meant: the selected one, or that around the selected layers; else why there is none. */
export function stackOf(editor: Editor) {
  const { document, selection } = editor;
  const nodes = selection.nodes.map((id) => nodeOf(document, id)!);
  const [first] = nodes;
  if (!first) return 'Select layers to align';
  if (nodes.some(({ object }) => isFree(object))) return 'Layers with a position of their own are moved by hand';
  if (nodes.length === 1 && layouts.has(first.kind)) return first;
  const { parent } = first;
  if (nodes.some((node) => node.parent?.id !== parent?.id)) return 'Select layers that stand in one place';
  return parent && layouts.has(parent.kind) ? parent : 'These layers have their places from what is around them';
}
