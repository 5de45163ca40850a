import { find } from '../document/canonical';
import { childrenOf, type Document, nodeOf } from '../document/document';
import type { Json, JsonObject, NodeId } from '../document/operation';
import { eachText } from '../document/texts';
import { inWords } from '../document/words';
import { nameOf } from '../names';
import { defaultLocaleOf, readText } from '../text';
import { notesIn } from './notes';
import { type State, stateIn, statesPlace } from './states';

/** A text of a flow, in the place where people read it. */
export type FlowText = {
  /** Names it in a file: its layer, then the property. */
  key: string;
  node: NodeId;
  path: readonly string[];
  screen: { id: NodeId; name: string };
  /** What its layer is called. */
  layer: string;
  /** What it is of the layer, such as “Placeholder”; '' for the layer's own words. */
  part: string;
  /** As the document has it: another object when any of its words changed. */
  value: JsonObject;
  source: string;
  read: (locale: string) => string;
  /** What translators are told of it; '' for nothing. */
  note: string;
  /** As the flow has them, by language: another object when one of them changed. */
  states: Json | undefined;
  /** How far its translation is. */
  state: (locale: string) => State | '';
};

/** Lists the texts of a flow by screen, the first screen first, in the order of the layers. */
export function textsIn(document: Document): FlowText[] {
  const out: FlowText[] = [];
  const defaultLocale = defaultLocaleOf(document.flow);
  const screens = childrenOf(nodeOf(document, 'flow')!).filter(({ kind }) => kind === 'screen');
  const { entryScreenId } = document.flow;
  const noteOf = notesIn(document.flow);
  for (const root of screens.toSorted((a, b) => Number(b.id === entryScreenId) - Number(a.id === entryScreenId))) {
    const screen = { id: root.id, name: nameOf(root.object, root.kind) };
    eachText(root, ({ node, path, text }) => {
      const owner = node.kind === 'wheelOption' ? node.parent! : node;
      const key = `${node.id}.${path.join('.')}`;
      const states = find(document.flow, [...statesPlace, key]);
      const source = readText(text, defaultLocale, defaultLocale);
      const read = (locale: string) => readText(text, locale, defaultLocale);
      out.push({
        key,
        node: node.id,
        path,
        screen,
        layer: nameOf(owner.object, owner.kind, owner.slot),
        part: partOf(path),
        value: text,
        source,
        read,
        note: noteOf(key),
        states,
        state: (locale) => stateIn(states, locale, source, read(locale)),
      });
    });
  }
  return out;
}

function partOf(path: readonly string[]): string {
  if (path.length === 1 && path[0] === 'text') return '';
  const words = inWords(path.at(-1)!);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Which part of the texts that have words has them in a language, 0 to 1. */
export function completion(texts: readonly FlowText[], locale: string): number {
  const all = texts.filter(({ source }) => source !== '');
  return all.length === 0 ? 1 : all.filter(({ read }) => read(locale) !== '').length / all.length;
}
