import { byteLength, checkValue, find, isObject, setIn } from '../canonical';
import { nestsItself } from '../components/marks';
import { eachNode, type Found, isLayer, kindOf, nodeOf, slotOf } from '../document';
import type { Command, Editor } from '../editor';
import { end } from '../exits';
import { whyLocked } from '../locked';
import type { Json, JsonObject, Operation } from '../operation';
import { checkSubtree, limits } from '../place';
import { labelOf } from '../words';
import { type Copies, copyNodes } from './copies';
import { inOrder, insideItself, type Target } from './move';
import { takes, targetOf } from './target';

/** The type under which layers and screens are in the clipboard; the same text stands beside it as text/plain. */
export const clipboardType = 'application/vnd.svc.layers+json';

/** The most that is pasted at once: an edit is sent whole, and the server takes 256 kB and 200 operations. */
export const mostPasted = { bytes: 240_000, nodes: 200 };

type Clip = { svc: 'layers' | 'screens'; nodes: JsonObject[] };

/** Writes the selected layers or screens for the clipboard, or the open screen when none is selected; undefined when
 * nothing is, or something else. */
export function copyText(editor: Editor): string | undefined {
  const { nodes, screen } = editor.selection;
  const ids = nodes.length === 0 && screen !== null ? [screen] : inOrder(editor, nodes);
  const found = ids.map((id) => nodeOf(editor.document, id)!);
  const svc = found[0]?.kind === 'screen' ? 'screens' : 'layers';
  const isOne = ({ kind }: Found) => (svc === 'screens' ? kind === 'screen' : isLayer(kind));
  return found.length > 0 && found.every(isOne) ? write({ svc, nodes: found.map(({ object }) => object) }) : undefined;
}

const write = (clip: Clip): string => JSON.stringify(clip);

/** Reads what copyText has written, here or in another flow, app or browser; for any other text it says why not. */
export function readClip(text: string): Clip | string {
  if (text.length > mostPasted.bytes || byteLength(text) > mostPasted.bytes)
    return 'The clipboard holds more than can be pasted at once: 240 kB';
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return noLayers;
  }
  if (!isObject(value) || (value.svc !== 'layers' && value.svc !== 'screens')) return noLayers;
  const { svc, nodes } = value;
  if (!Array.isArray(nodes) || nodes.length === 0 || !nodes.every(isObject)) return noLayers;
  if (nodes.length > mostPasted.nodes) return `No more than ${mostPasted.nodes} layers or screens are pasted at once`;
  if (checkValue(nodes, limits.valueDepth)) return 'What is in the clipboard is nested too deeply, or has broken text';
  if (!isSound(svc, nodes)) return noLayers;
  const foreign = nodes.flatMap((node) => foreignKinds(svc, node))[0];
  return foreign === undefined ? { svc, nodes } : `There is no kind of layer “${foreign}” here`;
}

const noLayers = 'The clipboard has no layers';

const slotFor = (svc: Clip['svc']) =>
  slotOf(svc === 'layers' ? 'stack' : 'flow', svc === 'layers' ? 'children' : 'screens')!;

/** Lists the kinds in a layer or screen that this editor does not know, each cut to what can be read. */
function foreignKinds(svc: Clip['svc'], object: JsonObject): string[] {
  const out: string[] = [];
  const kind = kindOf(object, slotFor(svc));
  eachNode({ id: String(object.id), kind, object, parent: null, slot: '' }, (node) => {
    if (node.kind === '') out.push([...String(node.object.kind)].slice(0, 40).join(''));
  });
  return out;
}

/** Tells whether nodes could be inserted at all: what comes from outside may be anything. */
function isSound(svc: Clip['svc'], nodes: JsonObject[]): boolean {
  const empty = { flow: {}, parents: new Map(), layers: 0, screens: 0 };
  const inside = { ids: new Map(), layers: 0, screens: 0 };
  if (nodes.some((node) => checkSubtree(empty, node, 'flow', 'screens', slotFor(svc), inside))) return false;
  return inside.layers <= limits.layers && inside.screens <= limits.screens;
}

/** Puts what was copied into a place, or to where the selection says; screens go behind the open one. */
export const paste: Command<{ text: string; to?: Target }> = {
  id: 'paste',
  keys: 'mod+v',
  when(editor, { text, to }) {
    const clip = readClip(text);
    if (typeof clip === 'string') return clip;
    if (clip.svc === 'screens') return true;
    for (const node of clip.nodes) {
      const kind = kindOf(node, slotFor('layers'));
      const target = to ?? targetOf(editor, kind);
      const parent = target && nodeOf(editor.document, target.parent);
      if (!parent) return editor.selection.screen === null ? 'Open a screen first' : 'There is no place for it here';
      const locked = whyLocked(editor, parent.id);
      if (locked) return locked;
      if (nestsItself(editor.document, node, parent.id)) return insideItself;
      if (!takes(parent, target.slot, kind)) return `${labelOf({ id: '', kind, object: node })} can't stand there`;
    }
    return true;
  },
  build(editor, { text, to }, newId) {
    const { svc, nodes } = readClip(text) as Clip;
    const kinds = nodes.map((object) => kindOf(object, slotFor(svc)));
    const copies = copyNodes(
      editor,
      nodes.map((object, i) => ({ kind: kinds[i]!, object })),
      newId,
    );
    const objects =
      svc === 'screens' ? copies.objects.map((screen) => withoutLost(editor, copies, screen)) : copies.objects;
    const target: Target =
      svc === 'screens'
        ? { parent: 'flow', slot: 'screens', after: editor.selection.screen ?? undefined }
        : (to ?? targetOf(editor, kinds[0]!)!);
    const ids = objects.map((object) => String(object.id));
    const operations = objects.map((subtree, i): Operation => {
      const after = i === 0 ? (target.after ?? null) : ids[i - 1]!;
      return { op: 'insert', parent: target.parent, slot: target.slot, subtree, after, before: null };
    });
    // A flow's first screen is its start.
    if (svc === 'screens' && editor.document.screens === 0)
      operations.push({ op: 'set', node: 'flow', path: ['entryScreenId'], value: ids[0]! });
    const what =
      objects.length === 1 ? labelOf({ id: '', kind: kinds[0]!, object: objects[0]! }) : `${ids.length} ${svc}`;
    return {
      step: { name: `Paste ${what}`, operations },
      select: svc === 'screens' ? { screen: ids.at(-1)! } : { nodes: ids },
    };
  },
};

/** A screen that came from another flow ends the flow where it led to a step of that. */
function withoutLost({ document }: Editor, { ids }: Copies, screen: JsonObject): JsonObject {
  const next = find(screen, ['next', 'default']);
  const isThere = typeof next !== 'string' || next === end || document.parents.has(next);
  return isThere || [...ids.values()].includes(next) ? screen : setIn(screen, ['next', 'default'], null);
}
