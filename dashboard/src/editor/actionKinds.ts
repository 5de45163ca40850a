import { find, isObject } from './document/canonical';
import { backgroundOf, layersBeside, type Player } from './document/commands/actions';
import { type Document, nodeOf } from './document/document';
import type { Json, JsonObject, NodeId } from './document/operation';
import { screenOf } from './document/selection';
import { nameOf } from './names';
import { stepsIn } from './steps';

/** What a button of a screen can refer to. */
export type Around = {
  steps: readonly { value: string; label: string }[];
  /** The step to lead to at first. */
  next: string | undefined;
  /** Steps that are screens: ways back lead to no others. */
  screens: readonly { value: string; label: string }[];
  players: readonly Player[];
  carousels: readonly Player[];
};

export function aroundOf(document: Document, id: NodeId): Around {
  const own = screenOf(document, id);
  const steps = stepsIn(document.flow);
  const named = (kinds: readonly string[]) =>
    layersBeside(document, id, kinds).map(({ id, object, kind }) => ({ id, name: nameOf(object, kind) }));
  const screen = nodeOf(document, own ?? '');
  const background = find(screen?.object, ['containerStyle', 'backgroundFill', 'kind']) === 'video';
  return {
    steps,
    next: steps.find(({ value }) => value !== own)?.value,
    screens: steps.filter(({ value }) => nodeOf(document, value)?.kind === 'screen'),
    players: [
      ...named(['lottie', 'video']),
      ...(background ? [{ id: backgroundOf(own!), name: 'Background video' }] : []),
    ],
    carousels: named(['carousel']),
  };
}

type Kind = {
  /** How the action reads behind "When tapped". */
  words: string;
  /** The action as it is at first; undefined where the screen has nothing for it. */
  make: (around: Around) => JsonObject | undefined;
  /** Why it can't be chosen. */
  lacks?: string;
};

/** Every kind of action that a button can have. */
export const actionKinds: Readonly<Record<string, Kind>> = {
  continue: { words: 'go on to what comes next', make: () => ({ kind: 'continue' }) },
  go_to_step: {
    words: 'go to',
    make: ({ next }) => (next === undefined ? undefined : { kind: 'go_to_step', screenId: next }),
    lacks: 'no other step',
  },
  skip: { words: 'skip this screen', make: () => ({ kind: 'skip' }) },
  go_back_one_screen: { words: 'go back', make: () => ({ kind: 'go_back_one_screen' }) },
  end_flow: { words: 'end the flow', make: () => ({ kind: 'end_flow' }) },
  request_os_permission: {
    words: 'ask for permission',
    make: () => ({
      kind: 'request_os_permission',
      permissionKey: 'notifications',
      outcomes: { granted: 'continue', denied: 'continue', blocked: 'continue' },
    }),
  },
  request_app_review: { words: 'ask for a review in the store', make: () => ({ kind: 'request_app_review' }) },
  play_media: {
    words: 'play',
    make: ({ players: [first] }) => first && { kind: 'play_media', targetLayerIds: [first.id] },
    lacks: 'no animation or video here',
  },
  advance_carousel: {
    words: 'turn the page of',
    make: ({ carousels: [first] }) => first && { kind: 'advance_carousel', targetLayerId: first.id },
    lacks: 'no carousel here',
  },
  dismiss_banner: { words: 'close the banner', make: () => ({ kind: 'dismiss_banner' }) },
  none: { words: 'do nothing', make: () => ({ kind: 'none' }) },
};

/** Keeps what an action of another kind has in common: where it leads. */
export function actionOf(kind: string, around: Around, was: Json | undefined): JsonObject | undefined {
  const action = actionKinds[kind]?.make(around);
  const to = isObject(was) ? (was.screenId ?? was.fallbackScreenId) : undefined;
  if (kind === 'go_to_step' && typeof to === 'string') return { ...action, kind, screenId: to };
  return action;
}
