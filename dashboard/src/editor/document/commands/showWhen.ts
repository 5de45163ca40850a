import { childrenOf, type Document, type Found, nodeOf } from '../document';
import type { Command } from '../editor';
import type { JsonObject, NodeId, Operation } from '../operation';
import { label } from '../words';
import { canWrap, insertBefore } from './wrap';

/** A condition around one layer: a conditional of one case with an empty "otherwise". */
export type Shown = { conditional: NodeId; expression: JsonObject };

/** Finds the condition under which a layer is shown, recognized by its shape; undefined when it has none of its own. */
export function conditionOf(document: Document, id: NodeId): Shown | undefined {
  const branch = nodeOf(document, id)?.parent;
  const conditional = branch?.parent;
  if (!branch || !conditional || only(branch)?.id !== id) return undefined;
  const [one, ...more] = childrenOf(conditional).filter((child) => child.slot === 'cases');
  if (conditional.kind !== 'conditional' || !one || more.length > 0) return undefined;
  const otherwise = nodeOf(document, String(conditional.object.elseRootLayerId));
  const shaped = one.object.rootLayerId === branch.id && otherwise?.parent?.id === conditional.id;
  if (!shaped || childrenOf(otherwise).length > 0) return undefined;
  return { conditional: conditional.id, expression: one.object.expression as JsonObject };
}

function only(branch: Found): Found | undefined {
  const [child, ...more] = childrenOf(branch);
  return more.length === 0 ? child : undefined;
}

/** Shows a layer only when a condition holds; null shows it always. */
export const showWhen: Command<{ node: NodeId; expression: JsonObject | null; gesture?: string }> = {
  id: 'show-when',
  when(editor, { node, expression }) {
    if (!nodeOf(editor.document, node)) return 'It was removed';
    if (conditionOf(editor.document, node)) return true;
    if (!expression) return 'It is always shown already';
    return canWrap(editor, [node], 'conditional');
  },
  build(editor, { node, expression, gesture }, newId) {
    const shown = conditionOf(editor.document, node);
    const name = `${expression ? 'Change when to show' : 'Always show'} ${label(editor.document, node)}`;
    const operations: Operation[] = [];
    if (shown && expression) {
      const [one] = childrenOf(nodeOf(editor.document, shown.conditional)!).filter((child) => child.slot === 'cases');
      operations.push({ op: 'set', node: one!.id, path: ['expression'], value: expression });
    } else if (shown) {
      const { parent, slot } = editor.document.parents.get(shown.conditional)!;
      operations.push({ op: 'move', node, parent, slot, after: shown.conditional, before: null });
      operations.push({ op: 'remove', node: shown.conditional });
    } else {
      const { parent, slot } = editor.document.parents.get(node)!;
      const [id, branch, otherwise] = [newId('lyr'), newId('lyr'), newId('lyr')];
      const stack = (one: NodeId): JsonObject => ({ id: one, kind: 'stack', direction: 'vertical', children: [] });
      const conditional: JsonObject = {
        id,
        kind: 'conditional',
        cases: [{ id: newId('case'), expression: expression!, rootLayerId: branch }],
        elseRootLayerId: otherwise,
        children: [stack(branch), stack(otherwise)],
      };
      operations.push(insertBefore(parent, slot, node, conditional));
      operations.push({ op: 'move', node, parent: branch, slot: 'children', after: null, before: null });
    }
    return { step: { name, operations }, select: { nodes: [node] }, gesture };
  },
};
