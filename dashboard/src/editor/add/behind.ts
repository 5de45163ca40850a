import { bindingOf, isElse, layersIn } from '../document/commands/faces';
import type { Target } from '../document/commands/move';
import { takes } from '../document/commands/target';
import { wholeOn } from '../document/components/marks';
import { type Found, nodeOf } from '../document/document';
import type { Editor } from '../document/editor';
import type { Addition } from './addition';

/** The place for a block: below what is selected, not in it, so that one block comes after the other; in a stack that is
 * still empty, or a whole body, it is at the end. An instance of a component is whole, but for its slots. A header, a footer and a row have no room for one. Undefined when
 * nothing of the body is selected. */
export function behindSelected(
  { document, selection }: Editor,
  { kind, component }: Pick<Addition, 'kind' | 'component'>,
): Target | undefined {
  const last = selection.nodes.at(-1);
  const node = last === undefined ? undefined : nodeOf(document, last);
  const path: Found[] = [];
  for (let at = node; at && at.kind !== 'screen'; at = at.parent ?? undefined) path.unshift(at);
  if (!node || path[0]?.slot !== 'body') return undefined;
  // Of a button or a question, it is behind the whole.
  const whole = path.findIndex((one) => !boxes.includes(one.kind));
  const { instance, slot } = wholeOn(path, component?.isSlot ?? (() => true), component?.id ?? '');
  const ends = [whole, instance].filter((at) => at >= 0);
  const within = ends.length === 0 ? path : path.slice(0, Math.min(...ends) + 1);
  const inner = within.at(-1)!;
  const isSlot = inner === path[slot] && component;
  if (inner !== path[instance] && isRoom(inner, kind) && (inner === path[0] || isSlot || layersIn(inner).length === 0))
    return { parent: inner.id, slot: 'children' };
  for (let at = within.length - 1; at > 0; at--) {
    const { id, slot } = within[at]!;
    const face = bindingOf(document, id) || isElse(document, id);
    if (!face && isRoom(within[at - 1]!, kind)) return { parent: within[at - 1]!.id, slot, after: id };
  }
  return undefined;
}

const boxes = ['stack', 'conditional', 'carousel'];

const isRoom = (node: Found, kind: string) =>
  node.kind === 'stack' && node.object.direction !== 'horizontal' && takes(node, 'children', kind);
