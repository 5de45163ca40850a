import { find, isObject } from '../canonical';
import { type Document, eachNode, type Found, nodeOf } from '../document';
import type { Command } from '../editor';
import type { JsonObject, NodeId, Operation } from '../operation';
import { screenOf } from '../selection';
import { label } from '../words';

/** The id under which buttons play the background video of a screen. */
export const backgroundOf = (screen: NodeId) => `__screen_bg__:${screen}`;

/** What a button of a screen can play, or page: an animation, a video, the screen's background. */
export type Player = { id: string; name: string };

/** Lists the layers of some kinds on the screen of a node, in the order of the document. */
export function layersBeside(document: Document, id: NodeId, kinds: readonly string[]): Found[] {
  const screen = nodeOf(document, screenOf(document, id) ?? '');
  const out: Found[] = [];
  if (screen) eachNode(screen, (node) => kinds.includes(node.kind) && out.push(node));
  return out;
}

/** Has a button do something. What it plays then waits for it, and what it played before starts by itself again. */
export const setAction: Command<{ node: NodeId; action: JsonObject }> = {
  id: 'set-action',
  when: (editor, { node }) => nodeOf(editor.document, node)?.kind === 'button' || 'The button was removed',
  build(editor, { node, action }) {
    const { document } = editor;
    const played = playedBy(nodeOf(document, node)!.object.action);
    const plays = playedBy(action);
    const operations: Operation[] = [
      { op: 'set', node, path: ['action'], value: action },
      ...played.filter((id) => !plays.includes(id)).flatMap((id) => release(document, id, node)),
      ...plays.filter((id) => !played.includes(id)).flatMap((id) => hold(document, id, node)),
    ];
    return { step: { name: `Change what ${label(document, node)} does`, operations } };
  },
};

/** Has a layer, or a screen's background, wait for a button that plays it; null has it start by itself. */
export const setTrigger: Command<{ player: string; button: NodeId | null }> = {
  id: 'set-trigger',
  when(editor, { player, button }) {
    if (!settingsOf(editor.document, player)) return 'It was removed';
    return button === null || playsMedia(nodeOf(editor.document, button)) || 'That button plays nothing';
  },
  build(editor, { player, button }) {
    const { document } = editor;
    const { node, path } = settingsOf(document, player)!;
    const name = `Change what plays ${label(document, node.id)}`;
    const before = String(find(node.object, [...path, 'triggerLayerId']) ?? '');
    const operations = unlist(document, before, player, button);
    if (button === null) return { step: { name, operations: [...operations, ...release(document, player, before)] } };
    const listed = playedBy(nodeOf(document, button)!.object.action);
    const value = [...listed, player];
    if (!listed.includes(player))
      operations.push({ op: 'set', node: button, path: ['action', 'targetLayerIds'], value });
    return { step: { name, operations: [...operations, ...waits(document, player, button)] } };
  },
};

export const playsMedia = (node: Found | undefined) => find(node?.object.action, ['kind']) === 'play_media';

/** The ids that an action plays. */
function playedBy(action: unknown): string[] {
  const ids = isObject(action) && action.kind === 'play_media' ? action.targetLayerIds : [];
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** Where what is played has its settings: a layer its own, a background in the screen's fill. */
function settingsOf(document: Document, id: string): { node: Found; path: string[] } | undefined {
  const screen = id.startsWith(backgroundOf('')) ? id.slice(backgroundOf('').length) : undefined;
  const node = nodeOf(document, screen ?? id);
  return node && { node, path: screen === undefined ? [] : ['containerStyle', 'backgroundFill'] };
}

/** Has something wait for a button, unless another one plays it already. */
function hold(document: Document, id: string, button: NodeId): Operation[] {
  const at = settingsOf(document, id);
  const other = at && nodeOf(document, String(find(at.node.object, [...at.path, 'triggerLayerId'])));
  return playedBy(other?.object.action).includes(id) ? [] : waits(document, id, button);
}

function waits(document: Document, id: string, button: NodeId): Operation[] {
  const at = settingsOf(document, id);
  if (!at) return [];
  const { node, path } = at;
  return [
    { op: 'set', node: node.id, path: [...path, 'triggerLayerId'], value: button },
    { op: 'set', node: node.id, path: [...path, 'autoPlay'], value: false },
  ];
}

/** Has something that waits for a button start by itself. */
function release(document: Document, id: string, button: NodeId): Operation[] {
  const at = settingsOf(document, id);
  if (!at || find(at.node.object, [...at.path, 'triggerLayerId']) !== button) return [];
  const { node, path } = at;
  const unset = (name: string): Operation[] =>
    find(node.object, [...path, name]) === undefined ? [] : [{ op: 'unset', node: node.id, path: [...path, name] }];
  return [...unset('triggerLayerId'), ...unset('autoPlay')];
}

/** Takes something off what a button plays, unless that is all it plays: a button must play something. */
function unlist(document: Document, button: NodeId, id: string, to: NodeId | null): Operation[] {
  const rest = playedBy(nodeOf(document, button)?.object.action).filter((one) => one !== id);
  if (button === to || rest.length === 0) return [];
  return [{ op: 'set', node: button, path: ['action', 'targetLayerIds'], value: rest }];
}
