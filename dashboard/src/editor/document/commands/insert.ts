import { nodeOf } from '../document';
import type { Command } from '../editor';
import { inWords } from '../words';
import { kindsToInsert, newLayer } from './defaults';
import { fieldsOf, freeKey } from './fields';
import { movesTo, type Target } from './move';
import { takes, targetOf } from './target';

/** Adds a layer of a kind, to a place or to where the selection says. */
export const insert: Command<{ kind: string; to?: Target }> = {
  id: 'insert',
  when(editor, { kind, to }) {
    if (!kindsToInsert.includes(kind)) return 'There is no such layer';
    const target = to ?? targetOf(editor, kind);
    const parent = target && nodeOf(editor.document, target.parent);
    if (!parent) return editor.selection.screen === null ? 'Open a screen first' : 'There is no place for it here';
    return takes(parent, target.slot, kind) || `It can't stand there`;
  },
  build(editor, { kind, to }, newId) {
    const { parent, slot, after } = to ?? targetOf(editor, kind)!;
    const taken = fieldsOf(editor.document);
    const key = (wanted: string) => {
      const free = freeKey(wanted, taken);
      taken.add(free);
      return free;
    };
    const subtree = newLayer(kind, newId, key);
    const [place] = movesTo(editor, [String(subtree.id)], { parent, slot, after });
    const { after: behind, before } = place as { after: string | null; before: string | null };
    return {
      step: {
        name: `Add ${inWords(kind).replaceAll('_', ' ')}`,
        operations: [{ op: 'insert', parent, slot, subtree, after: behind, before }],
      },
      select: { nodes: [String(subtree.id)] },
    };
  },
};
