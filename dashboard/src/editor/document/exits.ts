import { find, isObject } from './canonical';
import { childrenOf, type Document, eachNode, type Found, nodeOf } from './document';
import type { Json, JsonObject, NodeId } from './operation';
import { labelOf } from './words';

/** The end of the flow, where a step's id can stand. */
export const end = 'end';

/** The end as a decision or a surface must write it: their null is what nobody has chosen yet (manifest/publish.go). */
export const writtenEnd = '__onb_surface_no_next__';

/** What leads a run out of a step. */
export type ExitKind =
  | 'next' // of a screen, when it is submitted
  | 'button'
  | 'permission' // an outcome of a button that asks for a permission
  | 'option' // of a choice
  | 'complete' // the end of a loader, an animation or a video
  | 'back' // where a way back leads when there is nothing to go back to
  | 'case'
  | 'else'
  | 'outcome' // of a surface
  | 'fallback';

/** One way out of a step, with the property that says where it leads. */
export type Exit = {
  /** The same for the same property, so that a selection and a handle keep it. */
  id: string;
  step: NodeId;
  kind: ExitKind;
  /** The screen, layer, decision, case or surface that has the property. */
  node: NodeId;
  path: readonly string[];
  /** The option or outcome, where one property has several. */
  key?: string;
  /** A step's id, which need not be there any more, or the end. Undefined where nothing of its own is written: it goes the
   * way of its step's 'next', 'else' or 'fallback', or nowhere. */
  to: NodeId | undefined;
};

const outcomesOf: Record<string, string[]> = {
  unspecified: ['failed'],
  revenuecat: ['purchase_completed', 'purchase_cancelled', 'dismissed', 'failed', 'restore_completed'],
  superwall: ['purchase_completed', 'purchase_cancelled', 'dismissed', 'failed', 'restore_completed'],
  stripe: ['purchase_completed', 'purchase_cancelled', 'dismissed', 'failed'],
  headless: ['completed', 'back', 'dismissed', 'failed'],
};

/** Lists the steps of a flow: its screens, decisions and surfaces. */
export function stepsOf(document: Document): Found[] {
  return childrenOf(nodeOf(document, 'flow')!).filter(({ kind }) => isStep(kind));
}

export const isStep = (kind: string | undefined) => kind === 'screen' || kind === 'decision' || kind === 'surface';

/** Lists all ways out of a step, those too that nothing of their own is written for, in the order of the document. */
export function exitsOf(step: Found): Exit[] {
  if (step.kind === 'decision') return decisionExits(step);
  if (step.kind === 'surface') return surfaceExits(step);
  const own: Exit[] = [];
  for (const region of childrenOf(step)) eachNode(region, (layer) => own.push(...layerExits(step.id, layer)));
  const background = ['containerStyle', 'backgroundFill', 'onComplete'];
  const done = find(step.object, background);
  if (isObject(done)) own.push({ ...exit(step.id, 'complete', step.id, background), to: text(done.screenId) });
  const next = find(step.object, ['next', 'default']);
  return [{ ...exit(step.id, 'next', step.id, ['next', 'default']), to: target(next) ?? end }, ...own];
}

function exit(step: NodeId, kind: ExitKind, node: NodeId, path: readonly string[], key?: string): Exit {
  return { id: [kind, node, key ?? ''].join(' ').trim(), step, kind, node, path, key, to: undefined };
}

const text = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);
const target = (value: Json | undefined) => (value === writtenEnd ? end : text(value));

function decisionExits(step: Found): Exit[] {
  const cases = childrenOf(step).filter(({ kind }) => kind === 'decisionCase');
  return [
    ...cases.map(({ id, object }) => ({ ...exit(step.id, 'case', id, ['next']), to: target(object.next) })),
    { ...exit(step.id, 'else', step.id, ['elseNext']), to: target(step.object.elseNext) },
  ];
}

function surfaceExits(step: Found): Exit[] {
  const outcomes = isObject(step.object.outcomes) ? step.object.outcomes : {};
  return [
    ...possibleOutcomes(step.object).map((key) => ({
      ...exit(step.id, 'outcome', step.id, ['outcomes', key], key),
      to: target(outcomes[key]),
    })),
    { ...exit(step.id, 'fallback', step.id, ['fallback']), to: target(step.object.fallback) },
  ];
}

/** The outcomes that a surface can have, and those that it has ways for though it can't. */
export function possibleOutcomes(surface: JsonObject): string[] {
  const written = isObject(surface.outcomes) ? Object.keys(surface.outcomes) : [];
  return [...new Set([...(outcomesOf[String(find(surface, ['config', 'provider']))] ?? []), ...written])];
}

function layerExits(step: NodeId, { id, object }: Found): Exit[] {
  const out: Exit[] = [];
  const { action, onComplete, branching } = object;
  if (isObject(action)) out.push(...actionExits(step, id, action));
  if (typeof object.fallbackScreenId === 'string')
    out.push({ ...exit(step, 'back', id, ['fallbackScreenId']), to: text(object.fallbackScreenId) });
  if (isObject(onComplete) && onComplete.mode !== 'none')
    out.push({ ...exit(step, 'complete', id, ['onComplete']), to: text(onComplete.screenId) });
  if (isObject(branching) && Array.isArray(object.optionBindings)) {
    const conditions = branching.enabled === true && Array.isArray(branching.conditions) ? branching.conditions : [];
    for (const binding of object.optionBindings.filter(isObject)) {
      const found = conditions.filter(isObject).find(({ choiceId }) => choiceId === binding.optionId);
      out.push({
        ...exit(step, 'option', id, ['branching'], String(binding.optionId)),
        to: text(found?.goTo),
      });
    }
  }
  return out;
}

function actionExits(step: NodeId, id: NodeId, action: Readonly<Record<string, Json>>): Exit[] {
  const button = exit(step, 'button', id, ['action']);
  switch (action.kind) {
    case 'go_to_step':
      return [{ ...button, to: text(action.screenId) }];
    case 'end_flow':
      return [{ ...button, to: end }];
    case 'none':
    case 'continue':
    case 'skip':
      return [button];
    case 'go_back_one_screen':
      return [{ ...exit(step, 'back', id, ['action', 'fallbackScreenId']), to: text(action.fallbackScreenId) }];
    case 'request_os_permission': {
      const outcomes = isObject(action.outcomes) ? action.outcomes : {};
      return ['granted', 'denied', 'blocked'].map((key) => {
        const to = outcomes[key] === 'continue' ? undefined : text(outcomes[key]);
        return { ...exit(step, 'permission', id, ['action', 'outcomes', key], key), to };
      });
    }
    default:
      return [];
  }
}

/** Finds an exit by its id. */
export function exitOf(document: Document, id: string): Exit | undefined {
  return stepsOf(document)
    .flatMap(exitsOf)
    .find((one) => one.id === id);
}

/** Tells where a run goes that takes an exit: where it leads, else the way of its step; undefined for nowhere. */
export function goesTo(document: Document, exit: Exit): NodeId | undefined {
  if (exit.to !== undefined) return exit.to;
  const step = nodeOf(document, exit.step);
  return step && exitsOf(step).find(({ kind }) => kind === 'next' || kind === 'fallback')?.to;
}

/** Finds the step that a node is, or stands in. */
export function stepOf(document: Document, id: NodeId): Found | undefined {
  for (let at = nodeOf(document, id) ?? null; at; at = at.parent) if (isStep(at.kind)) return at;
  return undefined;
}

const outcomeNames: Record<string, string> = {
  purchase_completed: 'Purchased',
  purchase_cancelled: 'Purchase canceled',
  restore_completed: 'Restored',
  completed: 'Completed',
  dismissed: 'Dismissed',
  back: 'Back',
  failed: 'Failed',
};
const ends: Record<string, string> = { loader: 'Loader', lottie: 'Animation', video: 'Video' };

/** Names an exit as it stands at its step: "Next", the words of a button or an option, an outcome. */
export function exitName(document: Document, { kind, node: id, key }: Pick<Exit, 'kind' | 'node' | 'key'>): string {
  const node = nodeOf(document, id);
  switch (kind) {
    case 'next':
      return 'Next';
    case 'else':
    case 'fallback':
      return 'Otherwise';
    case 'outcome':
      return outcomeNames[key!] ?? 'Another outcome';
    case 'permission':
      return `Permission ${key}`;
    case 'back':
      return 'Back, if first';
    case 'complete':
      return `${(node && ends[node.kind]) ?? 'Background video'} ends`;
    case 'case':
      return typeof node?.object.name === 'string' && node.object.name !== '' ? node.object.name : 'Case';
    case 'option':
      return (node && optionWords(node, key!)) || 'Option';
    case 'button':
      return (node && firstWords(node)) || (node && ownName(node)) || 'Button';
  }
}

function ownName(node: Found): string {
  const name = labelOf(node);
  return name.startsWith('“') ? name.slice(1, -1) : '';
}

/** The words of an option of a choice. */
export function optionWords(choice: Found, option: string): string {
  const bindings = Array.isArray(choice.object.optionBindings) ? choice.object.optionBindings.filter(isObject) : [];
  const root = bindings.find(({ optionId }) => optionId === option)?.rootLayerId;
  const face = childrenOf(choice).find(({ id }) => id === root);
  return face ? firstWords(face) || ownName(face) : '';
}

/** The first text inside a node that has words, on one line; '' when there is none. */
export function firstWords(node: Found): string {
  const own = find(node.object, ['text', 'default']);
  if (typeof own === 'string' && own.trim() !== '') return own.trim().replace(/\s+/g, ' ');
  for (const child of childrenOf(node)) {
    const words = firstWords(child);
    if (words !== '') return words;
  }
  return '';
}
