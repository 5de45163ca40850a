import { isObject } from '../canonical';
import { nodeOf } from '../document';
import type { Command, Editor } from '../editor';
import type { NodeId, Operation } from '../operation';
import { eachText } from '../texts';

/** A text of a node that has the words: `path` leads to it, `locale` is null for the default. */
export type Match = { node: NodeId; path: readonly string[]; text: string; locale: string | null };

export type Search = { find: string; matchCase?: boolean; screen?: NodeId };

/** Finds the texts with some words, in all languages, in the order of the document. */
export function findText(editor: Editor, { find, matchCase = false, screen }: Search): Match[] {
  const out: Match[] = [];
  const root = nodeOf(editor.document, screen ?? 'flow');
  if (!root || find === '') return out;
  const pattern = patternOf(find, matchCase);
  eachText(root, ({ node, path, text: { default: text, translations } }) => {
    if (text.search(pattern) >= 0) out.push({ node: node.id, path: [...path, 'default'], text, locale: null });
    for (const [locale, words] of Object.entries(isObject(translations) ? translations : {}))
      if (typeof words === 'string' && words.search(pattern) >= 0)
        out.push({ node: node.id, path: [...path, 'translations', locale], text: words, locale });
  });
  return out;
}

function patternOf(find: string, matchCase: boolean): RegExp {
  return new RegExp(find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), matchCase ? 'gu' : 'giu');
}

/** Writes other words in place of some, in one screen or the whole flow. */
export const replaceText: Command<Search & { replace: string }> = {
  id: 'replace-text',
  keys: 'mod+f',
  when(editor, search) {
    if (search.find === '') return 'Type the words to find';
    return findText(editor, search).length > 0 || `“${search.find}” is in no text`;
  },
  build(editor, { replace, ...search }) {
    const pattern = patternOf(search.find, search.matchCase ?? false);
    const operations = findText(editor, search).map(
      ({ node, path, text }): Operation => ({ op: 'set', node, path, value: text.replace(pattern, () => replace) }),
    );
    return { step: { name: `Replace “${search.find}” by “${replace}”`, operations } };
  },
};
