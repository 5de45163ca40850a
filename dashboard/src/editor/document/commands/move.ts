import { isFixed } from '../apply';
import { nestsItself } from '../components/marks';
import { childrenOf, isInside, nodeOf, slotOf } from '../document';
import type { Command, Editor } from '../editor';
import type { NodeId, Operation } from '../operation';
import { checkPlace } from '../place';
import { valid } from '../selection';
import { label, labels } from '../words';
import { bindingOf, isElse, layersIn } from './faces';
import { takes } from './target';

/** Why an instance can't stand where its component is around it. */
export const insideItself = `An instance of a component can't stand inside of another one of it`;

/** Where a drop goes: into a slot of a node, behind `after`; null puts it first, undefined last. */
export type Target = { parent: NodeId; slot: string; after?: NodeId | null };

/** Moves layers to one place, in the order that they have in the document. */
export const move: Command<{ nodes: readonly NodeId[]; to: Target; gesture?: string }> = {
  id: 'move',
  when(editor, { nodes, to }) {
    if (nodes.length === 0) return 'Select a layer to move';
    const parent = nodeOf(editor.document, to.parent);
    if (!parent) return 'The place was removed';
    for (const id of nodes) {
      const node = nodeOf(editor.document, id);
      if (!node) return 'What is moved was removed';
      if (isInside(editor.document, to.parent, id)) return `${label(editor.document, id)} can't go inside itself`;
      if (isFixed(node) || node.slot === 'header' || node.slot === 'footer')
        return 'A header, body or footer has its place';
      if (nestsItself(editor.document, node.object, to.parent) && node.parent!.id !== to.parent) return insideItself;
      const stays = node.parent!.id === to.parent && node.slot === to.slot;
      if (!stays && bindingOf(editor.document, id)?.slot === 'optionBindings')
        return `${label(editor.document, id)} is an option of its question`;
      if (!stays && (bindingOf(editor.document, id) || isElse(editor.document, id)))
        return `${label(editor.document, id)} is a branch of its condition`;
      const holds = slotOf(node.parent!.kind, node.slot)!.holds;
      const fits = stays || holds !== 'layer' || takes(parent, to.slot, node.kind);
      if (!fits || checkPlace(parent, to.slot, holds, node)) return `${label(editor.document, id)} can't stand there`;
    }
    return true;
  },
  build(editor, { nodes, to, gesture }) {
    const moved = inOrder(editor, nodes);
    return {
      step: { name: `Move ${labels(editor.document, moved)}`, operations: layersTo(editor, moved, to) },
      select: { nodes: moved },
      gesture,
    };
  },
};

/** Lists operations that put layers one behind the other, with the options and cases that they show: those are what
 * has the order. */
export function layersTo(editor: Editor, layers: readonly NodeId[], to: Target): Operation[] {
  const { document } = editor;
  const bindings = layers.map((id) => bindingOf(document, id)).filter((one) => one !== undefined);
  const own = movesTo(editor, layers, to);
  const [first] = bindings;
  if (!first) return own;
  const shown = layersIn(nodeOf(document, to.parent)!).map(({ id }) => id);
  let after = to.after === undefined ? shown.at(-1) : to.after;
  // An anchor that is no option, or that moves itself, is none here: the one before it is.
  while (after && (layers.includes(after) || !bindingOf(document, after))) after = shown[shown.indexOf(after) - 1];
  const behind = after ? bindingOf(document, after)!.id : null;
  const place = { parent: to.parent, slot: first.slot, after: behind };
  const items = bindings.map(({ id }) => id);
  return [...own, ...movesTo(editor, items, place)];
}

/** Lists operations that put nodes one behind the other. */
export function movesTo(editor: Editor, nodes: readonly NodeId[], { parent, slot, after }: Target): Operation[] {
  const place = nodeOf(editor.document, parent)!;
  const there = childrenOf(place)
    .filter((child) => child.slot === slot && !nodes.includes(child.id))
    .map((child) => child.id);
  // An anchor that moves itself is no anchor: what stood before it is.
  const all = childrenOf(place).filter((child) => child.slot === slot);
  let anchor = after === undefined ? (there.at(-1) ?? null) : after;
  while (anchor !== null && nodes.includes(anchor)) {
    const at = all.findIndex((child) => child.id === anchor);
    anchor = all[at - 1]?.id ?? null;
  }
  return nodes.map((node, i) => {
    const last = i === 0 ? anchor : nodes[i - 1]!;
    const before = last === null ? (there[0] ?? null) : null;
    return { op: 'move', node, parent, slot, after: last, before };
  });
}

/** Lists nodes in the order of the document, those inside others of them left out. */
export function inOrder(editor: Editor, nodes: readonly NodeId[]): NodeId[] {
  return valid(editor.document, { screen: null, nodes })
    .nodes.map((id) => ({ id, path: pathOf(editor, id) }))
    .sort((a, b) => comparePaths(a.path, b.path))
    .map((one) => one.id);
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Returns the indexes of a node and of those around it, the outermost first. */
function pathOf(editor: Editor, id: NodeId): number[] {
  const node = nodeOf(editor.document, id);
  if (!node?.parent) return [];
  return [...pathOf(editor, node.parent.id), childrenOf(node.parent).findIndex((child) => child.id === id)];
}
