import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentActiveLayers } from '../../src/flow/machine';
import {
  type FlowManifest,
  type FlowState,
  findExternalSurface,
  initFlowState,
  type Layer,
  type StepResponse,
  startFlow,
  submitResponse,
} from '../../src/index';

/** What a person does on one screen or surface of a walk. */
export type Step = {
  /** The screen or surface that shows. */
  at: string;
  /** Options that are chosen before the way out is taken. */
  options: readonly string[];
  exit:
    | { kind: 'option'; id: string }
    | { kind: 'button'; layer: string; outcome?: string; times?: number }
    | { kind: 'wait' }
    | { kind: 'sign_in'; layer: string }
    | { kind: 'surface'; outcome: string };
};

export type Walk = readonly Step[];

const MOST_STEPS = 60;
const MOST_WALKS = 20_000;
/** After so many, a screen that was not come to can't be. */
const ENOUGH_WALKS = 3_000;

/** The folder of the templates, from a file of the SDK's tests. */
function templatesFolder(from: string): string {
  const found = join(from, 'studio/templates');
  return existsSync(found) ? found : templatesFolder(join(from, '..'));
}

export type TemplateFlow = { id: string; manifest: FlowManifest };

export function readTemplates(from: string): TemplateFlow[] {
  const folder = templatesFolder(from);
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { id: string }[];
  return index.map(({ id }) => ({
    id,
    manifest: JSON.parse(readFileSync(join(folder, id, 'manifest.json'), 'utf8')) as FlowManifest,
  }));
}

/** Numbers that look random, and are the same in each run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % sides;
  };
}

const nameOf = ({ at, exit }: Step): string =>
  `${at} ${exit.kind === 'option' ? exit.id : exit.kind === 'surface' ? exit.outcome : exit.kind === 'wait' ? 'wait' : `${exit.layer} ${'outcome' in exit ? (exit.outcome ?? '') : ''}`}`;

/** The outcomes of a prompt of the system that a walk may meet. */
export type Prompts = (permission: string) => readonly ('granted' | 'denied' | 'blocked')[];

/** Every way out of the screen that shows. Ways back are none. */
function stepsAt(state: FlowState, prompts: Prompts, roll: (sides: number) => number): [Step, StepResponse][] {
  const surface = findExternalSurface(state.manifest, state.pendingExternalSurface?.nodeId ?? null);
  if (surface) {
    const outcomes = ['completed', 'dismissed', 'back'] as const;
    return outcomes.map((outcome) => [
      { at: surface.id, options: [], exit: { kind: 'surface', outcome } },
      { kind: 'external_surface_outcome', nodeId: surface.id, outcome },
    ]);
  }
  const at = state.currentScreenId!;
  const layers = currentActiveLayers(state);
  const input = layers.find((layer) => 'fieldKey' in layer && layer.kind !== 'checkbox');
  const choice = input?.kind === 'single_choice' || input?.kind === 'multiple_choice' ? input : undefined;
  const picked = choice?.optionBindings[roll(choice.optionBindings.length)]?.optionId;
  const goesOn = layers.some((layer) => layer.kind === 'button' && layer.action.kind === 'continue');
  const found: [Step, StepResponse][] = [];
  if (choice && !goesOn) {
    for (const { optionId: id } of choice.optionBindings)
      found.push([
        { at, options: [], exit: { kind: 'option', id } },
        { kind: 'choice', choiceId: id },
      ]);
  }
  for (const layer of layers) {
    if (layer.kind === 'loader' && layer.onComplete?.mode === 'next')
      found.push([
        { at, options: [], exit: { kind: 'wait' } },
        { kind: 'cta', action: 'primary' },
      ]);
    if (layer.kind === 'oauth_provider' && layer.variant === 'preset')
      found.push([
        { at, options: [], exit: { kind: 'button', layer: layer.id } },
        {
          ...{ kind: 'oauth_login_resolve', layerId: layer.id, success: true },
          provider: { type: 'preset', provider: layer.provider },
        } as StepResponse,
      ]);
    if (layer.kind === 'email_password_auth') {
      const { fieldKey, mode } = layer;
      const submit = layer.children.find(({ kind }) => kind === 'email_password_submit') as Layer;
      found.push([
        { at, options: [], exit: { kind: 'sign_in', layer: submit.id } },
        {
          ...{ kind: 'email_password_auth_resolve', layerId: layer.id, fieldKey, mode },
          ...{ email: 'ada@plants.example', success: true },
        } as StepResponse,
      ]);
    }
    if (layer.kind !== 'button') continue;
    const { action } = layer;
    const exit = { kind: 'button' as const, layer: layer.id };
    switch (action.kind) {
      case 'continue':
        found.push([{ at, options: picked ? [picked] : [], exit }, answer(input, picked)]);
        break;
      case 'skip':
      case 'end_flow':
        found.push([{ at, options: [], exit }, { kind: action.kind }]);
        break;
      case 'go_to_step':
        found.push([
          { at, options: [], exit },
          { kind: 'go_to_screen', screenId: action.screenId },
        ]);
        break;
      case 'request_os_permission':
        for (const outcome of prompts(action.permissionKey))
          found.push([
            { at, options: [], exit: { ...exit, outcome } },
            { kind: 'permission_outcome', layerId: layer.id, permissionKey: action.permissionKey, outcome },
          ]);
        break;
      case 'request_app_review':
        found.push([
          { at, options: [], exit },
          { kind: 'app_review_outcome', layerId: layer.id, outcome: 'not_shown' },
        ]);
        break;
      case 'advance_carousel': {
        const carousel = layers.find(({ id }) => id === action.targetLayerId);
        const times = carousel?.kind === 'carousel' ? carousel.slides.length : 1;
        found.push([{ at, options: [], exit: { ...exit, times } }, { kind: 'carousel' }]);
        break;
      }
      default:
        throw new Error(`no walk knows the action ${action.kind}`);
    }
  }
  return found;
}

/** What Continue sends. */
function answer(input: Layer | undefined, picked: string | undefined): StepResponse {
  switch (input?.kind) {
    case undefined:
      return { kind: 'cta', action: 'primary' };
    case 'single_choice':
      return { kind: 'choice', choiceId: picked! };
    case 'multiple_choice':
      return { kind: 'multiChoice', choiceIds: [picked!] };
    case 'text_input':
      return { kind: 'text', value: typed, classification: input.classification };
    case 'scale_input':
      return { kind: 'scale', value: input.defaultValue ?? input.min };
    case 'date_time_input':
      return { kind: 'date_time', value: input.defaultValue ?? '', classification: input.classification };
    default:
      throw new Error(`no walk answers ${input?.kind}`);
  }
}

/** What a walk types into a field. */
export const typed = 'Ada';

/** Walks from the start to an end, by the machine alone, that together take every way out of every screen that they
 * can come to. */
export function planWalks(manifest: FlowManifest, prompts: Prompts): Walk[] {
  const roll = dice(7);
  const open = new Set<string>();
  const taken = new Set<string>();
  const walks: Walk[] = [];
  for (let tries = 0; tries < MOST_WALKS; tries += 1) {
    let state = startFlow(initFlowState(manifest, { platform: 'ios' }));
    const walk: Step[] = [];
    while (state.status === 'running' && walk.length < MOST_STEPS) {
      const steps = stepsAt(state, prompts, roll);
      for (const [step] of steps) open.add(nameOf(step));
      const fresh = steps.filter(
        ([step]) => !taken.has(nameOf(step)) && !walk.some((one) => nameOf(one) === nameOf(step)),
      );
      const among = fresh.length > 0 && roll(3) > 0 ? fresh : steps;
      const [step, response] = among[roll(among.length)]!;
      walk.push(step);
      state = submitResponse(state, response);
    }
    if (state.status === 'running') continue;
    if (walk.every((step) => taken.has(nameOf(step)))) {
      if (taken.size === open.size && (unseen(manifest, walks).length === 0 || tries > ENOUGH_WALKS)) break;
      continue;
    }
    for (const step of walk) taken.add(nameOf(step));
    walks.push(walk);
  }
  const missing = [...open].filter((name) => !taken.has(name));
  if (missing.length > 0) throw new Error(`no walk takes ${missing.join(', ')}`);
  return walks;
}

/** The screens that no walk comes to. */
export function unseen(manifest: FlowManifest, walks: readonly Walk[]): string[] {
  const seen = new Set(walks.flat().map(({ at }) => at));
  return manifest.screens.map(({ id }) => id).filter((id) => !seen.has(id));
}
