import type { Component } from '../components/queries';
import { topOf } from '../document/components/differences';
import { marked } from '../document/components/marks';
import { eachNode } from '../document/document';
import { questions, signIns } from '../rivals';
import type { Addition, Group } from './addition';

/** The components of the app, each as an instance to add. */
export function componentGroup(list: readonly Component[]): Group[] {
  const isSlot = (id: string, layer: string) =>
    list.find((one) => one.id === id)?.content.slots.some(({ layerId }) => layerId === layer) ?? false;
  const additions = list.map(({ id, name, content: { tree, revision } }): Addition => {
    const kinds: string[] = [];
    const top = topOf(tree);
    eachNode(top, ({ kind }) => kinds.push(kind));
    return {
      ...{ id: `component-${id}`, name, what: 'Component', words: 'component instance', kind: top.kind },
      asks: kinds.find((kind) => signIns.includes(kind)) ?? kinds.find((kind) => questions.includes(kind)),
      component: { id, tree: marked(tree, { id, revision }), isSlot },
    };
  });
  return additions.length > 0 ? [{ name: 'Components', additions }] : [];
}
