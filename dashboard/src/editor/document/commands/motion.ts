import { childrenOf, type Document, eachNode, type Found, isLayer, nodeOf } from '../document';
import type { Command } from '../editor';
import type { Json, JsonObject, NodeId, Operation } from '../operation';
import { screenOf } from '../selection';
import { label } from '../words';

/** Adds a motion that a layer keeps making, behind those that it has. */
export const addMotion: Command<{ node: NodeId }> = {
  id: 'add-motion',
  when: (editor, { node }) => nodeOf(editor.document, node) !== undefined || 'The layer was removed',
  build(editor, { node }, newId) {
    const subtree = { id: newId('motion'), preset: 'pulse', loop: true };
    const name = `Add a motion to ${label(editor.document, node)}`;
    return { step: { name, operations: [last(editor.document, node, 'restingMotions', subtree)] } };
  },
};

/** Adds an animation to a screen, of one of its layers: it fades in as the screen opens, until told otherwise. */
export const addClip: Command<{ screen: NodeId; target?: NodeId | undefined }> = {
  id: 'add-clip',
  when: (editor, { screen }) => nodeOf(editor.document, screen)?.kind === 'screen' || 'The screen was removed',
  build(editor, { screen, target }, newId) {
    const targetLayerId = target ?? firstToMove(editor.document, screen);
    const tracks = [trackOf('opacity')];
    const subtree = { id: newId('clip'), targetLayerId, trigger: 'mount', durationMs: 400, delayMs: 0, tracks };
    const name = `Animate ${label(editor.document, targetLayerId)}`;
    return { step: { name, operations: [last(editor.document, screen, 'animations', subtree)] } };
  },
};

/** Changes when an animation plays: what plays in turn has a place in the order, what plays on leaving has none. */
export const setClipTrigger: Command<{ clip: NodeId; trigger: string }> = {
  id: 'set-clip-trigger',
  when: (editor, { clip }) => nodeOf(editor.document, clip)?.kind === 'clip' || 'The animation was removed',
  build(editor, { clip, trigger }) {
    const { object, parent } = nodeOf(editor.document, clip)!;
    const operations: Operation[] = [{ op: 'set', node: clip, path: ['trigger'], value: trigger }];
    if (trigger === 'stagger' && object.staggerIndex === undefined) {
      const turns = clipsOf(parent!).flatMap(({ object: { staggerIndex: at } }) =>
        typeof at === 'number' ? [at] : [],
      );
      const value = Math.min(64, Math.max(-1, ...turns) + 1);
      operations.push({ op: 'set', node: clip, path: ['staggerIndex'], value });
    }
    if (trigger !== 'stagger' && object.staggerIndex !== undefined)
      operations.push({ op: 'unset', node: clip, path: ['staggerIndex'] });
    return { step: { name: `Change when ${label(editor.document, String(object.targetLayerId))} moves`, operations } };
  },
};

/** Removes an item of a list that names nothing and that nothing names: a motion, an animation, an option of a wheel. */
export const removeItem: Command<{ item: NodeId; name: string }> = {
  id: 'remove-item',
  when: (editor, { item }) => nodeOf(editor.document, item) !== undefined || 'It was removed',
  build(editor, { item, name }) {
    const node = nodeOf(editor.document, item)!;
    const operations: Operation[] = [{ op: 'remove', node: item }];
    const rest = childrenOf(node.parent!).filter(({ slot }) => slot === node.slot);
    // A list that is empty is as good as none, and was none before the first.
    if (rest.length === 1) operations.push({ op: 'unset', node: node.parent!.id, path: [node.slot] });
    return { step: { name, operations } };
  },
};

/** The motions that a layer keeps making. */
export const motionsOf = (layer: Found): Found[] => childrenOf(layer).filter(({ slot }) => slot === 'restingMotions');

/** The animations of a screen. */
export const clipsOf = (screen: Found): Found[] => childrenOf(screen).filter(({ slot }) => slot === 'animations');

/** What an animation changes, and from what to what at first. */
const first: Record<string, readonly [number, number]> = {
  opacity: [0, 1],
  translateX: [24, 0],
  translateY: [24, 0],
  scale: [0.9, 1],
};

/** What an animation of the manifest can change. */
export const trackProperties = Object.keys(first);

export function trackOf(property: string): JsonObject {
  const [from, to] = first[property]!;
  return {
    property,
    keyframes: [
      { t: 0, value: from, easing: 'ease-out' },
      { t: 1, value: to },
    ],
  };
}

/** Where a new keyframe goes: in the middle of the last stretch, as it is there. */
export function withKeyframe(keyframes: readonly Json[]): Json[] {
  const [before, end] = keyframes.slice(-2) as { t: number; value: number }[];
  const middle = (from: number, to: number) => Math.round((from + to) * 500) / 1000;
  const made = { t: middle(before!.t, end!.t), value: middle(before!.value, end!.value) };
  return [...keyframes.slice(0, -1), made, keyframes.at(-1)!];
}

/** The layers of the screen of a node, each of which can be animated. */
export function layersOn(document: Document, id: NodeId): Found[] {
  const screen = nodeOf(document, screenOf(document, id) ?? '');
  const out: Found[] = [];
  if (screen) eachNode(screen, (node) => isLayer(node.kind) && out.push(node));
  return out;
}

/** The first layer that stands in a region, else the first region: what moves as a whole is seldom a region. */
function firstToMove(document: Document, screen: NodeId): NodeId {
  const layers = layersOn(document, screen);
  return (layers.find(({ parent }) => parent?.kind !== 'screen') ?? layers[0]!).id;
}

function last(document: Document, parent: NodeId, slot: string, subtree: JsonObject): Operation {
  const after = childrenOf(nodeOf(document, parent)!).findLast((child) => child.slot === slot)?.id ?? null;
  return { op: 'insert', parent, slot, subtree, after, before: null };
}
