import { isObject } from '../canonical';
import { isLayer, kindOf, nodeOf, slotOf } from '../document';
import type { Command, Editor } from '../editor';
import type { Json, JsonObject, Operation } from '../operation';
import { checkSubtree, limits } from '../place';
import { labelOf } from '../words';
import { copyNodes } from './copies';
import { inOrder, type Target } from './move';
import { takes, targetOf } from './target';

/** The type under which layers and screens are in the clipboard; the same text stands beside it as text/plain. */
export const clipboardType = 'application/vnd.svc.layers+json';

type Clip = { svc: 'layers' | 'screens'; nodes: JsonObject[] };

/** Writes the selected layers for the clipboard, or the screen when none is selected; undefined when nothing is. */
export function copyText(editor: Editor): string | undefined {
  const { nodes, screen } = editor.selection;
  const layers = inOrder(editor, nodes).map((id) => nodeOf(editor.document, id)!);
  if (layers.some((node) => !isLayer(node.kind))) return undefined;
  if (layers.length > 0) return write({ svc: 'layers', nodes: layers.map((node) => node.object) });
  const open = screen === null ? undefined : nodeOf(editor.document, screen);
  return open && write({ svc: 'screens', nodes: [open.object] });
}

const write = (clip: Clip): string => JSON.stringify(clip);

/** Reads what copyText has written, here or in another flow, app or browser; undefined for any other text. */
export function readClip(text: string): Clip | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (!isObject(value) || (value.svc !== 'layers' && value.svc !== 'screens')) return undefined;
  const { svc, nodes } = value;
  if (!Array.isArray(nodes) || nodes.length === 0 || !nodes.every(isObject)) return undefined;
  return isSound(svc, nodes) ? { svc, nodes } : undefined;
}

/** Tells whether nodes could be inserted at all: what comes from outside may be anything. */
function isSound(svc: Clip['svc'], nodes: JsonObject[]): boolean {
  const slot = slotOf(svc === 'layers' ? 'stack' : 'flow', svc === 'layers' ? 'children' : 'screens')!;
  const empty = { flow: {}, parents: new Map(), layers: 0, screens: 0 };
  const inside = { ids: new Map(), layers: 0, screens: 0 };
  if (nodes.some((node) => checkSubtree(empty, node, 'flow', 'screens', slot, inside))) return false;
  return inside.layers <= limits.layers && inside.screens <= limits.screens;
}

/** Puts what was copied into a place, or to where the selection says; screens go behind the open one. */
export const paste: Command<{ text: string; to?: Target }> = {
  id: 'paste',
  when(editor, { text, to }) {
    const clip = readClip(text);
    if (!clip) return 'The clipboard has no layers';
    if (clip.svc === 'screens') return true;
    for (const node of clip.nodes) {
      const kind = kindOf(node, slotOf('stack', 'children')!);
      const target = to ?? targetOf(editor, kind);
      const parent = target && nodeOf(editor.document, target.parent);
      if (!parent) return editor.selection.screen === null ? 'Open a screen first' : 'There is no place for it here';
      if (!takes(parent, target.slot, kind)) return `${labelOf({ id: '', kind, object: node })} can't stand there`;
    }
    return true;
  },
  build(editor, { text, to }, newId) {
    const { svc, nodes } = readClip(text)!;
    const slot = slotOf(svc === 'layers' ? 'stack' : 'flow', svc === 'layers' ? 'children' : 'screens')!;
    const kinds = nodes.map((object) => kindOf(object, slot));
    const { objects } = copyNodes(
      editor,
      nodes.map((object, i) => ({ kind: kinds[i]!, object })),
      newId,
    );
    const target: Target =
      svc === 'screens'
        ? { parent: 'flow', slot: 'screens', after: editor.selection.screen ?? undefined }
        : (to ?? targetOf(editor, kinds[0]!)!);
    const ids = objects.map((object) => String(object.id));
    const operations = objects.map((subtree, i): Operation => {
      const after = i === 0 ? (target.after ?? null) : ids[i - 1]!;
      return { op: 'insert', parent: target.parent, slot: target.slot, subtree, after, before: null };
    });
    const what =
      objects.length === 1 ? labelOf({ id: '', kind: kinds[0]!, object: objects[0]! }) : `${ids.length} layers`;
    return {
      step: { name: `Paste ${what}`, operations },
      select: svc === 'screens' ? { screen: ids.at(-1)! } : { nodes: ids },
    };
  },
};
