import { isFixed } from '../apply';
import { bindingOf, isElse } from '../commands/faces';
import { partOf } from '../commands/target';
import { childrenOf, type Found, isLayer, nodeOf } from '../document';
import type { Command, Editor } from '../editor';
import type { NodeId, Operation } from '../operation';
import { label } from '../words';
import { type Instance, instanceOf, markOf } from './marks';

/** Tells whether the selected layer can become a component: true, or why not, in words. */
export function maySave({ document, selection }: Editor): true | string {
  const [id, ...others] = selection.nodes;
  const node = id === undefined ? undefined : nodeOf(document, id);
  if (!node || others.length > 0 || !isLayer(node.kind)) return 'Select one layer to save as a component';
  if (isFixed(node) || node.slot === 'header' || node.slot === 'footer')
    return 'A header, body or footer has its place: select what is in it';
  if (partOf[node.kind] || bindingOf(document, node.id) || isElse(document, node.id))
    return `${label(document, node.id)} is a part of the layer around it: select that`;
  if (markOf(node.object)?.id !== undefined) return `${label(document, node.id)} is an instance of a component already`;
  return true;
}

/** Makes plain layers of the selected instance, which stay as they are. */
export const detach: Command<{ root: NodeId }> = {
  id: 'detach',
  when: ({ document }, { root }) => nodeOf(document, root) !== undefined || 'The instance was removed',
  build({ document }, { root }) {
    const operations = ownLayers(nodeOf(document, root)!)
      .filter(({ object }) => object.component !== undefined)
      .map(({ id }): Operation => ({ op: 'unset', node: id, path: ['component'] }));
    return { step: { name: `Detach ${label(document, root)}`, operations } };
  },
};

/** The layers of an instance that are its component's or its own: not those inside of another instance. */
function ownLayers(root: Found): Found[] {
  const out: Found[] = [];
  const walk = (node: Found) => {
    if (node.id !== root.id && isLayer(node.kind) && markOf(node.object)?.id !== undefined) return;
    if (isLayer(node.kind)) out.push(node);
    childrenOf(node).forEach(walk);
  };
  walk(root);
  return out;
}

/** The instance around what is selected, when that is one layer. */
export function selectedInstance({ document, selection }: Editor): Instance | undefined {
  const [id, ...others] = selection.nodes;
  return id === undefined || others.length > 0 ? undefined : instanceOf(document, id);
}
