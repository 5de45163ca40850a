import { childrenOf, nodeOf } from '../document';
import type { Command } from '../editor';
import type { NodeId, Operation } from '../operation';
import { label } from '../words';

export type Region = 'header' | 'footer';

/** Gives a screen an empty header or footer, which stays in sight while the body scrolls. */
export const addRegion: Command<{ screen: NodeId; region: Region }> = {
  id: 'add-region',
  when(editor, { screen, region }) {
    const node = nodeOf(editor.document, screen);
    if (node?.kind !== 'screen') return 'The screen was removed';
    return childrenOf(node).every(({ slot }) => slot !== region) || `The screen has a ${region} already`;
  },
  build(editor, { screen, region }, newId) {
    const id = newId('lyr');
    const style = { width: 'full', height: 'auto', padding: { t: 12, r: 20, b: 12, l: 20 } };
    const subtree = { id, kind: 'stack', direction: 'vertical', gap: 12, style, children: [] };
    const operations: Operation[] = [
      { op: 'insert', parent: screen, slot: region, subtree, after: null, before: null },
    ];
    const name = `Add a ${region} to ${label(editor.document, screen)}`;
    return { step: { name, operations }, select: { screen } };
  },
};

/** Takes the header or the footer of a screen away, with what is in it. */
export const removeRegion: Command<{ screen: NodeId; region: Region }> = {
  id: 'remove-region',
  when(editor, { screen, region }) {
    const node = nodeOf(editor.document, screen);
    return (node && childrenOf(node).some(({ slot }) => slot === region)) || `The screen has no ${region}`;
  },
  build(editor, { screen, region }) {
    const { id } = childrenOf(nodeOf(editor.document, screen)!).find(({ slot }) => slot === region)!;
    const name = `Remove the ${region} of ${label(editor.document, screen)}`;
    return { step: { name, operations: [{ op: 'remove', node: id }] }, select: { screen } };
  },
};
