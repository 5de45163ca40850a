import { childrenOf, eachNode } from '../../document/document';
import type { JsonObject, NodeId } from '../../document/operation';
import { eachText } from '../../document/texts';
import { readText, shownText } from '../../text';
import type { Branches } from '../branches';

/** A text of a screen: its key, and where it stands in its layer. */
export type ScreenText = { key: string; layer: NodeId; path: readonly string[]; value: JsonObject };

type Known = {
  texts: ReadonlyMap<NodeId, readonly ScreenText[]>;
  branches: readonly Branches[];
  /** Whether it looks another way on wider devices. */
  widens: boolean;
};

/** By screen: an edit makes another one. */
const known = new WeakMap<JsonObject, Known>();

/** Cases of a condition that are measured at most. */
const mostBranches = 6;

export function knowScreen(screen: JsonObject): Known {
  const found = known.get(screen);
  if (found) return found;
  const root = { id: String(screen.id), kind: 'screen', object: screen, parent: null, slot: '' };
  const texts = new Map<NodeId, ScreenText[]>();
  eachText(root, ({ node, path, text }) => {
    const layer = node.id.split('/')[0]!;
    const list = texts.get(layer) ?? [];
    texts.set(layer, list);
    list.push({ key: `${node.id}.${path.join('.')}`, layer, path, value: text });
  });
  const cases = new Map<NodeId, NodeId[]>();
  eachNode(root, (node) => {
    if (node.kind !== 'conditional') return;
    const stacks = childrenOf(node).filter(({ slot }) => slot === 'children');
    cases.set(
      node.id,
      stacks.map(({ id }) => id),
    );
  });
  const most = Math.min(mostBranches, Math.max(1, ...[...cases.values()].map(({ length }) => length)));
  const branches = Array.from({ length: most }, (_, at): Branches => {
    const chosen = [...cases].filter(([, stacks]) => stacks.length > 0);
    return Object.fromEntries(chosen.map(([id, stacks]) => [id, stacks[Math.min(at, stacks.length - 1)]!]));
  });
  const made = { texts, branches, widens: JSON.stringify(screen).includes('Breakpoints"') };
  known.set(screen, made);
  return made;
}

/** Whether a screen has words of its own in a language. */
export const speaks = ({ texts }: Known, locale: string, defaultLocale: string): boolean =>
  locale === defaultLocale ||
  [...texts.values()].some((list) => list.some(({ value }) => readText(value, locale, defaultLocale) !== ''));

/** The text of a layer that shows some words; undefined for words of the renderer, and where the language has none. */
export function textShown(
  { texts }: Known,
  layer: NodeId,
  said: string,
  locale: string,
  defaultLocale: string,
): ScreenText | undefined {
  const own = texts.get(layer) ?? [];
  const isSaid = ({ value }: ScreenText) => shownText(value, locale, defaultLocale).trim() === said;
  // What a template shows is not what is written.
  const found = own.find(isSaid) ?? own.find(({ path }) => path[0] === 'text');
  return found && readText(found.value, locale, defaultLocale) !== '' ? found : undefined;
}
