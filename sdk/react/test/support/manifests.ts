import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FlowManifest, FlowTarget, Layer, ResolvedFlow, Screen, StackLayer } from '@svc/core';

/** One of the example manifests that the Go validator and the core are tested on as well. */
export function exampleManifest(
  name: 'linear-onboarding' | 'branching-onboarding' | 'paywall-flow' | 'all-layers',
): FlowManifest {
  const here = dirname(fileURLToPath(import.meta.url));
  const file = join(here, '../../../../manifest/examples', `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as FlowManifest;
}

/** A screen whose body holds these layers. */
export function screen(
  id: string,
  children: Layer[],
  extra: Partial<Screen> & { body?: Partial<StackLayer> } = {},
): Screen {
  const { body, ...rest } = extra;
  const root: StackLayer = { id: `lyr_${id}_body`, kind: 'stack', direction: 'vertical', children, ...body };
  return { id, name: id, regions: { body: root }, next: { default: null }, ...rest };
}

export function manifest(screens: Screen[], extra: Partial<FlowManifest> = {}): FlowManifest {
  return {
    flowId: 'a0000000-0000-4000-8000-0000000000ff',
    schemaVersion: 7,
    version: 1,
    defaultLocale: 'en',
    locales: ['en'],
    entryScreenId: screens[0]?.id ?? null,
    screens,
    ...extra,
  };
}

export function text(id: string, words: string, style?: Extract<Layer, { kind: 'text' }>['style']): Layer {
  return { id, kind: 'text', text: { default: words }, ...(style ? { style } : {}) };
}

export function button(id: string, action: Extract<Layer, { kind: 'button' }>['action'], words = id): Layer {
  return { id, kind: 'button', variant: 'primary', action, children: [text(`${id}_t`, words)] };
}

/** A screen that ends the flow wherever it leads. */
export function lastScreen(id: string, next: FlowTarget = null): Screen {
  return screen(id, [text(`lyr_${id}_t`, `at ${id}`)], { next: { default: next } });
}

/** What the service answers when `ch_test_main` serves this manifest. */
export function served(flow: FlowManifest): ResolvedFlow {
  return {
    kind: 'flow',
    flowId: flow.flowId,
    versionId: 'b0000000-0000-4000-8000-000000000001',
    versionNumber: 1,
    assignmentVersion: 1,
    environment: 'test',
    channelId: 'ch_test_main',
    experimentId: null,
    variantId: null,
    manifest: flow,
    mediaMap: {},
  };
}
