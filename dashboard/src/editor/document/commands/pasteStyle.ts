import { kinds, types } from '../../../../../manifest/shape/shape.json';
import { isObject } from '../canonical';
import { isLayer, nodeOf } from '../document';
import type { Command } from '../editor';
import type { JsonObject, Operation } from '../operation';
import { label, labelOf } from '../words';
import { readClip } from './paste';

/** Members of a style that say where a layer stands and how large it is, and not how it looks. */
const places = new Set(
  ['position', 'inset', 'zIndex', 'margin', 'width', 'height', 'aspectRatio'].concat([
    'minWidth',
    'maxWidth',
    'minHeight',
    'maxHeight',
    'insetSafeArea',
  ]),
);

/** Gives the selected layers the look of the first layer that was copied: all of its style that their kind can have, but
 * for place and size, which stay as they are. */
export const pasteStyle: Command<{ text: string }> = {
  id: 'paste-style',
  keys: 'mod+alt+v',
  when(editor, { text }) {
    const clip = readClip(text);
    if (typeof clip === 'string') return clip;
    if (clip.svc === 'screens') return 'Copy a layer for its style, not a screen';
    const { nodes } = editor.selection;
    const layers = nodes.map((id) => nodeOf(editor.document, id)!);
    if (nodes.length === 0 || !layers.every(({ kind }) => isLayer(kind))) return 'Select the layers to give the style';
    return layers.some(({ kind }) => looksOf(kind).size > 0) || `${label(editor.document, nodes[0]!)} has no style`;
  },
  build(editor, { text }) {
    const clip = readClip(text);
    const from = typeof clip === 'string' ? {} : clip.nodes[0]!;
    const style = isObject(from.style) ? from.style : {};
    const { nodes } = editor.selection;
    const operations = nodes.flatMap((id): Operation[] => {
      const { kind, object } = nodeOf(editor.document, id)!;
      const looks = looksOf(kind);
      if (looks.size === 0) return [];
      const own = isObject(object.style) ? object.style : {};
      const value = { ...pick(own, (name) => !looks.has(name)), ...pick(style, (name) => looks.has(name)) };
      return [{ op: 'set', node: id, path: ['style'], value }];
    });
    const name = labelOf({ id: '', kind: String(from.kind), object: from });
    return { step: { name: `Paste the style of ${name}`, operations }, select: { nodes } };
  },
};

function pick(object: JsonObject, keeps: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => keeps(name)));
}

type Type = { $ref?: string; allOf?: Type[]; properties?: Record<string, unknown> };

/** The members of the style of a kind that say how it looks; none of a kind without a style. */
function looksOf(kind: string): Set<string> {
  const shape = (kinds as unknown as Record<string, { properties?: { style?: Type } }>)[kind];
  return new Set(membersOf(shape?.properties?.style).filter((name) => !places.has(name)));
}

function membersOf(type: Type | undefined): string[] {
  if (!type) return [];
  const named = type.$ref && (types as unknown as Record<string, Type>)[type.$ref.split('/').at(-1)!];
  return [
    ...Object.keys(type.properties ?? {}),
    ...(named ? membersOf(named) : []),
    ...(type.allOf ?? []).flatMap(membersOf),
  ];
}
