import type { ExternalSurfaceNode, FlowManifest, Layer, ResolvedFlow, Screen } from '@svc/core';

export const CHANNEL = 'ch_test_main';

export function text(id: string, words: string): Layer {
  return { id, kind: 'text', text: { default: words } };
}

export function button(id: string, action: Extract<Layer, { kind: 'button' }>['action'], words: string): Layer {
  return { id, kind: 'button', variant: 'primary', action, children: [text(`${id}_t`, words)] };
}

export function screen(id: string, children: Layer[], next: string | null = null): Screen {
  return {
    id,
    name: id,
    regions: { body: { id: `lyr_${id}`, kind: 'stack', direction: 'vertical', children } },
    next: { default: next },
  };
}

/** A resolve answer of these screens. */
export function served(screens: Screen[], extra: Partial<ResolvedFlow> = {}, manifest: Partial<FlowManifest> = {}) {
  const flowId = 'a0000000-0000-4000-8000-0000000000aa';
  const flow: ResolvedFlow = {
    kind: 'flow',
    flowId,
    versionId: 'b0000000-0000-4000-8000-000000000001',
    versionNumber: 1,
    assignmentVersion: 1,
    environment: 'test',
    channelId: CHANNEL,
    experimentId: null,
    variantId: null,
    manifest: {
      flowId,
      schemaVersion: 7,
      version: 1,
      defaultLocale: 'en',
      locales: ['en'],
      entryScreenId: screens[0]?.id ?? null,
      screens,
      ...manifest,
    },
    mediaMap: {},
    ...extra,
  };
  return flow;
}

const goOn = button('lyr_go', { kind: 'continue' }, 'Next');

/** Two screens; the first says this, and both have a button that goes on. */
export function twoScreens(headline = 'Hello', extra: Partial<ResolvedFlow> = {}): ResolvedFlow {
  return served(
    [
      screen('scr_a', [text('lyr_a_t', headline), goOn], 'scr_b'),
      screen('scr_b', [text('lyr_b_t', 'Bye'), { ...goOn, id: 'lyr_end' }]),
    ],
    extra,
  );
}

/** A screen that leads to a surface, and where its outcomes lead. */
export function withSurface(
  config: ExternalSurfaceNode['config'],
  outcomes: ExternalSurfaceNode['outcomes'] = {},
  extra: Partial<ResolvedFlow> = {},
): ResolvedFlow {
  return served(
    [
      screen('scr_a', [text('lyr_a_t', 'Hello'), goOn], 'surf_x'),
      screen('scr_paid', [text('lyr_paid', 'Thanks')]),
      screen('scr_free', [text('lyr_free', 'Maybe later')]),
    ],
    extra,
    { externalSurfaceNodes: [{ id: 'surf_x', config, outcomes, fallback: 'scr_free' }] },
  );
}
